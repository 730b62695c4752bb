"""The example of a layout: compiled by the command that its README names, it says what Python says."""

import re
import shlex
import shutil
import subprocess
from importlib.resources import files as resources

import numpy as np
import pytest

from dualres import diagnose_recording
from dualres.errors import ExportError
from dualres.export.c99 import write_c99
from dualres.export.compiler import CORTEX_M4, SOURCES, STRICT
from dualres.export.layouts import host
from dualres.export.layouts.catalogue import LAYOUTS
from dualres.export.layouts.host import HostExample
from dualres.recordings.recording import Recording
from tests.export.conftest import CLASSES, machine, made_model, made_turning_model
from tests.export.layouts.conftest import FORMS
from tests.variants import also

RATE = 12_800
# As much of what a platform declares as its example calls, to see that the example is C, or C++, that fits the library.
DECLARED = {
    "arduino": {
        "Arduino.h": """
            #include <stdint.h>
            struct Port {
                void begin(long); void print(const char *); void print(double, int); void print(unsigned long);
                void print(unsigned); void println(unsigned long); void println(unsigned);
            };
            extern Port Serial;
        """
    },
    "esp-idf": {"freertos/FreeRTOS.h": "", "freertos/task.h": "void vTaskDelay(unsigned ticks); void app_main(void);"},
    "zephyr": {
        "zephyr/kernel.h": "int k_msleep(int ms);",
        "zephyr/sys/printk.h": "void printk(const char *format, ...) __attribute__((format(printf, 1, 2)));",
    },
    "cmsis-pack": {"RTE_Components.h": '#define CMSIS_device_header "device.h"', "device.h": "void __WFI(void);"},
}
DECLARED["platformio"] = DECLARED["arduino"]


def command_of(folder):
    (line,) = re.findall(r"^    (cc .* -o listen)$", (folder / "README.md").read_text(), re.MULTILINE)
    return shlex.split(line)


def last_line(said):
    """Windows, class and probability of the last verdict."""
    windows, best, probability = re.findall(r"^windows (\d+)  class (\d+)  (\S+)  ", said, re.MULTILINE)[-1]
    return int(windows), int(best), float(probability)


def heard(program, samples, *arguments):
    text = "\n".join(f"{sample:.9g}" for sample in np.ravel(samples))
    return subprocess.run([*program, *arguments], input=text, capture_output=True, text=True)


def needs(program):
    if not shutil.which(program):
        pytest.skip(f"{program} is not here")


@pytest.mark.exhaustive
@pytest.mark.parametrize("form", FORMS)
def test_the_readme_s_command_makes_a_program_that_agrees_with_python(unchecked, compiler, tmp_path, form):
    folder = shutil.copytree(unchecked(form), tmp_path / "empty" / "board")
    subprocess.run(command_of(folder), cwd=folder, check=True)
    signal = machine(1.1, RATE)
    done = heard([folder / "listen"], signal)
    wanted = diagnose_recording(made_model(), Recording.from_array(signal, RATE))
    windows, best, probability = last_line(done.stdout)
    assert (windows, CLASSES[best]) == (wanted.windows, wanted.label)
    assert probability == pytest.approx(wanted.probabilities[wanted.label], abs=1e-5)
    assert done.stdout.count("windows ") == windows
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.exhaustive
def test_on_64_bit_arm_it_says_the_same(unchecked, tmp_path):
    needs("aarch64-linux-gnu-gcc"), needs("qemu-aarch64")
    folder = shutil.copytree(unchecked("zephyr"), tmp_path / "board")
    command = ["aarch64-linux-gnu-gcc", *command_of(folder)[1:], "-static"]
    subprocess.run(command, cwd=folder, check=True)
    signal = machine(0.6, RATE)
    done = heard(["qemu-aarch64", folder / "listen"], signal)
    wanted = diagnose_recording(made_model(), Recording.from_array(signal, RATE))
    windows, best, probability = last_line(done.stdout)
    assert (windows, CLASSES[best]) == (1, wanted.label)
    assert probability == pytest.approx(wanted.probabilities[wanted.label], abs=1e-5)


@pytest.mark.exhaustive
def test_an_export_is_checked_in_its_layout_with_its_example(compiler, tmp_path):
    model = made_turning_model()
    result = write_c99(model, tmp_path / "board", RATE, layout="esp-idf", int16=True)
    (check,) = result.checks
    said = [line for line in check.lines if line.startswith("example")]
    assert [line.partition(":")[0] for line in said] == ["example", "example at 25 Hz"]
    assert "int16_t samples" in (tmp_path / "board" / "README.md").read_text()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("options", [(), *also((["-DDUALRES_INT16"],))], ids=["floats", "counts"])
def test_the_platform_s_own_file_fits_the_library(unchecked, tmp_path, form, options):
    folder, layout = unchecked(form), LAYOUTS[form]
    (main,) = (
        one for one in (folder / layout.example).iterdir() if one.suffix in (".ino", ".cpp") or one.stem == "main"
    )
    language = "c" if main.suffix == ".c" else "c++"
    needs("g++" if language == "c++" else "cc")
    for name, content in DECLARED[form].items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    warnings = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    includes = [f"-I{one}" for one in (tmp_path, folder / "src", folder / layout.example)]
    compilers = {"c": ["cc", "-std=c99"], "c++": ["g++", "-std=gnu++11"]}
    command = [*compilers[language], *warnings, *options, *includes, "-x", language, main]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.exhaustive
def test_library_and_example_fit_a_cortex_m4(unchecked, tmp_path):
    needs("arm-none-eabi-gcc")
    folder = unchecked("cmsis-pack")
    for name, content in DECLARED["cmsis-pack"].items():
        (tmp_path / name).write_text(content)
    includes = [f"-I{one}" for one in (tmp_path, folder / "src")]
    for source in ("src/dualres/dualres.c", "src/dualres/dualres_model.c", "templates/main.c"):
        command = ["arm-none-eabi-gcc", *CORTEX_M4, *STRICT, *includes, "-c", folder / source, "-o", tmp_path / "one.o"]
        subprocess.run(command, check=True)


@pytest.mark.device
def test_the_check_of_a_layout_passes_on_an_emulated_cortex_m4(unchecked, tmp_path):
    needs("arm-none-eabi-gcc")
    needs("qemu-system-arm")
    folder, board = unchecked("cmsis-pack"), resources("dualres.export") / "device" / "cortex-m"
    sources = [
        *(folder / "src" / "dualres" / name for name in SOURCES),
        folder / "extras" / "check.c",
        board / "startup.c",
    ]
    memory = ["-ffunction-sections", "-Wl,--gc-sections", "-nostartfiles"]
    memory += ["-Wl,--defsym=flash_bytes=1M,--defsym=ram_bytes=256K", "-T", board / "memory.ld"]
    flags = [*CORTEX_M4, *STRICT, f"-I{folder / 'src' / 'dualres'}", *memory, "--specs=rdimon.specs"]
    subprocess.run(["arm-none-eabi-gcc", *flags, *sources, "-lm", "-o", tmp_path / "check.elf"], check=True)
    emulated = ["qemu-system-arm", "-M", "mps2-an386", "-nographic", "-monitor", "none", "-serial", "none"]
    semihosting = ["-semihosting-config", "enable=on,target=native", "-kernel", tmp_path / "check.elf"]
    done = subprocess.run([*emulated, *semihosting], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "as exported"


def example_of(classes):
    return HostExample(made_model(classes=classes), 12_800, False, LAYOUTS["arduino"], ("cc",))


SHARES = np.array([0.2, 0.7, 0.1])


@pytest.mark.parametrize(
    "answer",
    [
        "windows 1  class 0  0.900000  a\nwindows 2  class 1  0.700100  b\n",
        "windows 1  class 1  0.5  windows 2  class 0  0.9  x\nwindows 2  class 1  0.700000  b\n",
        "windows 2  class 1  0.700000  no\rend\n",
    ],
    ids=["near", "a name that looks like a line", "a name over two lines"],
)
def test_a_verdict_of_the_example_is_found(answer):
    best, off = example_of(("a", "b", "c"))._verdict(answer, 2, SHARES)
    assert best == 1
    assert off < 1e-3


@pytest.mark.parametrize(
    "answer",
    ["", "windows 2  class 0  0.200000  a\n", "windows 2  class 1  0.710000  b\n", "windows 1  class 1  0.700000  b\n"],
    ids=["nothing", "another class", "another probability", "a window is missing"],
)
def test_another_verdict_is_an_error(answer):
    with pytest.raises(ExportError, match=r"example of the Arduino layout .* class 1 with 0\.700000 after 2 windows"):
        example_of(("a", "b", "c"))._verdict(answer, 2, SHARES)


@pytest.mark.exhaustive
def test_what_disagrees_is_not_handed_over(compiler, tmp_path, monkeypatch):
    monkeypatch.setattr(host, "stream_shares", lambda *_, **__: (2, np.eye(len(CLASSES))[3]))
    with pytest.raises(ExportError, match="does not say what the model says"):
        write_c99(made_model(), tmp_path / "new" / "board", RATE, layout="arduino", int16=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.exhaustive
def test_input_that_is_no_frames_is_refused(unchecked, compiler, tmp_path):
    folder = shutil.copytree(unchecked("arduino"), tmp_path / "board")
    subprocess.run([*("-O0" if word == "-O3" else word for word in command_of(folder))], cwd=folder, check=True)
    for text, code, said in (("1 2 x", 2, "no number that fits"), ("1 2 3", 1, "no window could be judged")):
        done = subprocess.run([folder / "listen"], input=text, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (code, "")
        assert said in done.stderr
