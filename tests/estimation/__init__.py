"""Estimators, likelihoods and intervals."""
