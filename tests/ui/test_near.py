"""Points of one's own, such as clinics: what is near them is sensitive; what is none is told."""

from caldp_core.scenarios.protection import SensitiveNear
from caldp_ui.compute import runs
from caldp_ui.maps.presets import BEGIN
from tests.ui.driver import assert_shows, checked, open_with, query_of, scenario_of

NEW_YORK = "40.71, -74.01"


def test_points_make_what_is_near_them_sensitive() -> None:
    at = open_with(BEGIN.with_context(sensitive=SensitiveNear((), 30.0)))
    assert not runs.setup(scenario_of(at)).sensitive.any()
    checked(at.text_area(key="places-points").set_value(f"{NEW_YORK}\n\n41.9, -87.6").run())
    near = SensitiveNear(("40.71,-74.01", "41.9,-87.6"), 30.0)
    assert scenario_of(at).context.sensitive == near
    assert_shows(at, BEGIN.with_context(sensitive=near))
    assert query_of(at)["sensitive"] == "near"
    few = runs.setup(scenario_of(at)).sensitive.sum()
    checked(at.number_input(key="places-km").set_value(60.0).run())
    assert runs.setup(scenario_of(at)).sensitive.sum() > few > 10
    before = scenario_of(at)
    checked(at.text_area(key="places-points").set_value("in New York").run())
    assert scenario_of(at) == before
    (told,) = at.warning
    assert "A point is written latitude,longitude in degrees" in told.value
