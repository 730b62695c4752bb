"""A head that compares a view with what each class looks like, and knows how unusual the view is."""

import torch
from torch import Tensor, nn
from torch.nn.functional import log_softmax

from dualres.config import SMALLEST_DISTANCE


class Discriminant(nn.Module):
    """Features (batch, features) to log-probabilities (batch, classes); `dualres.learn.closed_form` finds the tensors.

    A view x is brought to z = (x - centre) * scale. Its distance to class c is d_c^2 = |z|^2 - |A z|^2 - 2 s_c z + o_c:
    a Mahalanobis distance whose covariance is the identity but for the directions A in which recordings of one class
    differ. The logits are -k log d_c^2, those of a multivariate t distribution. Near what was labelled they are those
    of a normal distribution. Far from it all distances are about the same, and so are the classes: a view of something
    that nobody labelled says little, and leaves the verdict to the other views.
    """

    centre: Tensor
    scale: Tensor
    directions: Tensor
    slopes: Tensor
    offsets: Tensor
    sharpness: Tensor

    def __init__(self, features: int, classes: int, rank: int) -> None:
        super().__init__()
        shapes = {"centre": (features,), "scale": (features,), "directions": (rank, features)}
        shapes |= {"slopes": (classes, features), "offsets": (classes,), "sharpness": ()}
        for name, shape in shapes.items():
            self.register_parameter(name, nn.Parameter(torch.zeros(shape), requires_grad=False))

    def distances(self, view: Tensor) -> Tensor:
        """Squared, to each class, (batch, classes)."""
        z = (view - self.centre) * self.scale
        along = z @ self.directions.to(z).T
        common = z.square().sum(-1, keepdim=True) - along.square().sum(-1, keepdim=True)
        return common - 2 * z @ self.slopes.to(z).T + self.offsets

    def forward(self, view: Tensor) -> Tensor:
        return log_softmax(-self.sharpness * self.distances(view).clamp(min=SMALLEST_DISTANCE).log(), dim=-1)
