"""How well does it do on a gear it has not seen? Cross-validation by component, with scikit-learn.

A gear of the simulated rig was recorded several times. If its recordings are on both sides of a split, a classifier
can recognise the gear instead of the fault, and the score says little about the next gear. So whole gears are held
out.
"""

from sklearn.model_selection import StratifiedGroupKFold, cross_val_score

from dualres import DualResClassifier
from dualres.simulated import rig as simulated

CLASSES = ("wear", "pitting")


def main() -> None:
    recordings = [r for r in simulated.recordings() if r.label in CLASSES and "torque_3000rpm" in r.id]
    labels = [r.label for r in recordings]
    gears = [r.component for r in recordings]  # one for each class and severity
    print(f"{len(recordings)} recordings of {len(set(gears))} gears")

    classifier = DualResClassifier(windows_per_signal=2)
    split = StratifiedGroupKFold(3)  # every class stays on both sides; where gears do not tell the class, GroupKFold
    scores = cross_val_score(classifier, recordings, labels, groups=gears, cv=split, scoring="f1_macro")
    print("macro-F1 on held-out gears:", ", ".join(f"{100 * score:.0f} %" for score in scores))


if __name__ == "__main__":
    main()
