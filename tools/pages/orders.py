"""What knowing the speed is worth to the network of orders (experiments/eval_orders.py), and how often it is found."""

from tools.pages.measured import Measured, table

KNOWN = {
    "stated": "stated",
    "off": "off by up to 3 %",
    "off_as_is": "off, not searched",
    "not_given": "not given",
    "estimated": "estimated",
    "nowhere": "none anywhere",
    "refused": "`--speed none`",
}
RIGS = ("phm2009", "cwru", "cwru_12k", "uestc", "machines", "rig", "all")
TITLES = ("PHM2009", "CWRU", "CWRU 12k", "UESTC", "Machines", "Rig", "All")


class Orders(Measured):
    def orders_known(self) -> str:
        """Macro-F1 by rig, and what is known of the judged speeds."""
        found = self._json("orders")
        rows = [[rig, *(f"{one[known]:.1f}" for known in KNOWN)] for rig, one in found["rigs"].items()]
        rows.append(["**mean**", *(f"**{found['mean'][known]:.1f}**" for known in KNOWN)])
        return table(("rig", *KNOWN.values()), rows)

    def orders_of(self, known: str, *rig: str) -> str:
        """Macro-F1 of one rig, by what is known of the judged speeds."""
        return f"{self._json('orders')['rigs'][' '.join(rig)][known]:.1f}"

    def orders_found(self) -> str:
        """Of judged recordings whose speed is not given: how many are judged at one, and how many of these rightly."""
        rigs = self._json("orders")["rigs"]
        rows = [[rig, *(f"{100 * one[share]:.0f}" for share in ("sure", "sure_right"))] for rig, one in rigs.items()]
        return table(("rig", "judged at a speed (%)", "of these within 2 % (%)"), rows)

    def speed_estimates(self) -> str:
        """How often the estimate by vibration alone is right, by constants chosen without the rig."""
        found = self._json("speed_estimate")["left_out"]
        rows = [
            [title, *(_percent(found[rig][share]) for share in ("right", "sure", "sure_right"))]
            for rig, title in zip(RIGS, TITLES, strict=True)
        ]
        return table(("rig", "within 2 % (%)", "called sure (%)", "of these within 2 % (%)"), rows)


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.0f}"
