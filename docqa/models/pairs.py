"""Texts by which an embedding model is measured, on this machine or another."""

# Questions, each with the passage that answers it: every other combination is unrelated.
PAIRS = (
    ("Who signed the lease?", "The lease was signed by the owner of the house and by both tenants."),
    ("How long does the battery last?", "A charged battery lasts for about eleven hours of ordinary use."),
    ("What did the company earn in the second quarter?", "In the second quarter the company earned 4.1 million."),
    ("When was the bridge built?", "The bridge was built between 1904 and 1907."),
    ("Which medicine lowers the blood pressure?", "Tablets that lower the blood pressure are taken in the morning."),
    ("How is the dough kept overnight?", "The dough is covered with a cloth and kept in a cool place overnight."),
    ("What is the penalty for late delivery?", "For each week of delay the supplier pays one percent of the price."),
    ("Where do the birds spend the winter?", "In autumn the birds fly to the south and spend the winter by the sea."),
)
