"""The page that `dualres fit` leaves beside a model."""
