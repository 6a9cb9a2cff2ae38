"""OpenVINO is there to compute, and not the converter and the telemetry that come with it."""

from importlib import import_module

import pytest

from later import Later, needs

np = pytest.importorskip("numpy")
engine = Later("docqa.models.engine")
pytestmark = needs("openvino")


@pytest.mark.parametrize("name", ["openvino_telemetry", "openvino.tools.ovc"])
def test_what_would_tell_of_its_use_cannot_be_imported(name: str) -> None:
    assert engine.ov.__name__ == "openvino"
    with pytest.raises(ModuleNotFoundError):
        import_module(name)


def test_it_computes_on_the_processor() -> None:
    given = engine.op.parameter([-1], np.float32)
    doubled = engine.ov.Model([engine.op.result(engine.op.add(given, given))], [given], "doubled")
    compiled = engine.ov.Core().compile_model(doubled, "CPU")
    assert compiled([np.array([1.5, -2.0], "<f4")])[0].tolist() == [3.0, -4.0]
