-- Which graphs have been viewed at all: searches read the views of all of them.
CREATE INDEX graphs_by_views ON graphs (views, number) WHERE views > 0;
