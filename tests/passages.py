"""Three short texts of our own making that training and reading are tried on."""

WELL = "The pump of the northern well was repaired by Aqua Nord in 2019. It had failed twice in 2016. The southern well was closed in 2011 by the council."
MILL = "The mill on the river Lune ground oats until 1954. Its owner, Edith Carr, sold the stones to a museum in Kendal. The building is a library now."
BELL = "The bell of the chapel weighs 310 kilograms. It was cast in Ghent by Jan Moer in 1702. A crack was welded in 1933, and the bell was hung again."
