"""Settings that all tests share: property tests are repeatable and leave no files behind."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "caldp",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("caldp")
