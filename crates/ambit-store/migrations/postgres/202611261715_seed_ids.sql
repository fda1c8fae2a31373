-- The id of a seed that was removed is given to no other: so it always was here.
SELECT 1;
