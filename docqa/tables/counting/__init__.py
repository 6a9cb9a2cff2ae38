"""Questions that the rows of a CSV answer: what their words mean in it makes a plan, which is carried out by SQL."""
