"""Settings and helpers of the whole test suite."""

import hypothesis

hypothesis.settings.register_profile(
    "listenbench",
    deadline=None,
    print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("listenbench")
