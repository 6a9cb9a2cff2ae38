"""The endpoints by what they are about. A handler takes (services, account, given) and returns a record or a
Response."""
