"""Two small documents that questions are made from."""

QUAY = """A quay is a wall at which ships are loaded. The length of the quay is 340 metres. \
The quay was built in 1911 by the town.

The harbour dues were 5.2 million euros in 2021. It was rebuilt in 1950. There are 12 cranes."""
ORCHARD = """An orchard is a garden of fruit trees. The orchard has 800 apple trees. The price of a crate is 14 euros.

The harvest begins in September and lasts for six weeks. The cider press was bought in 1987."""
