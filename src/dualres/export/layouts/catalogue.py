"""Every form that an export to C can have."""

from dualres.errors import ConfigError
from dualres.export.layouts.layout import Layout

FLAT = Layout("c99")
ARDUINO = Layout(
    "arduino",
    title="Arduino",
    example="examples/Listen",
    shared={"Listen.ino": "examples/Listen/Listen.ino"},
    use="""
Copy this folder to `libraries/DualRes` of your sketchbook, or give it to `arduino-cli compile --library`.
File > Examples > DualRes > Listen is the example, `examples/Listen/Listen.ino`.

The sketch was not compiled here: that takes Arduino's own tools, for a board with the memory that is stated below. No
AVR board (Uno, Mega) has it: a window alone takes more than an AVR compiler lets one array have.
""",
)
PLATFORMIO = Layout(
    "platformio",
    title="PlatformIO",
    example="examples/listen/src",
    shared={"Listen.ino": "examples/listen/src/main.cpp"},
    use="""
Add `lib_deps = symlink://PATH` to `platformio.ini`, with the path of this folder, or copy the folder to `lib/DualRes`.
`pio run -d examples/listen` builds the example, for the board that its `platformio.ini` names.

The example was not compiled here: PlatformIO fetches a board's tools when it builds.
""",
)
ESP_IDF = Layout(
    "esp-idf",
    title="ESP-IDF",
    example="examples/listen/main",
    source='        "{}"',
    use="""
Copy this folder to `components/dualres` of a project, or name its path in `main/idf_component.yml` as the example does.
`idf.py -C examples/listen build` builds the example, `examples/listen/main/main.c`.

The example was not compiled here: that takes ESP-IDF. Chips without external RAM may need `--int16`, which halves the
window.
""",
)
ZEPHYR = Layout(
    "zephyr",
    title="Zephyr",
    example="samples/listen/src",
    source="    ${{CMAKE_CURRENT_LIST_DIR}}/../{}",
    use="""
Name this folder in `EXTRA_ZEPHYR_MODULES`, or in your manifest as a project of west, and set `CONFIG_DUALRES=y`.
`west build -b BOARD samples/listen` builds the example, `samples/listen/src/main.c`.

The example was not compiled here: that takes Zephyr and its SDK.
""",
)
CMSIS_PACK = Layout(
    "cmsis-pack",
    title="CMSIS-Pack",
    example="templates",
    source='        <file category="sourceC" name="{}"/>',
    use="""
`cpackget add DualRes.DualRes.pdsc` registers this folder as a pack; zipped, it is `DualRes.DualRes.VERSION.pack`.
Select the component Condition Monitoring > DualRes. The example is its user code template, `templates/main.c`.

The template was not compiled here: it needs the start-up code of your device's pack.
""",
)
LAYOUTS = {one.name: one for one in (FLAT, ARDUINO, PLATFORMIO, ESP_IDF, ZEPHYR, CMSIS_PACK)}


def layout_called(name: str) -> Layout:
    """The layout of that name; an error that lists all for any other."""
    if name not in LAYOUTS:
        raise ConfigError(f"there is no layout {name!r} of C; there are {', '.join(LAYOUTS)}")
    return LAYOUTS[name]
