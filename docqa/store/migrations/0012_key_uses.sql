-- When the key was last used, to the minute; NULL before its first use.
ALTER TABLE api_key ADD COLUMN last_used TEXT;
