// A colour and a shape for each class: told apart by people who see few colours, too (Okabe and Ito), and without any.
import { classes } from "/api.js";

const DARK = matchMedia("(prefers-color-scheme: dark)");
const BLUE = () => (DARK.matches ? "#4ba3e3" : "#0072b2"); // on a dark page the usual one is hard to see
const COLOURS = [null, "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8d7b00"];
const SHAPES = ["disc", "square", "triangle", "diamond", "cross", "down", "star", "plus"];
export const QUIET = { colour: "#8a96a0", shape: "ring" };

// One number for each class counts through colours and shapes, so that two classes share both only after 56 others.
export function styleOf(label, all = classes()) {
  const at = label ? all.indexOf(label) : -1;
  return at < 0 ? QUIET : { colour: COLOURS[at % COLOURS.length] || BLUE(), shape: SHAPES[at % SHAPES.length] };
}

const corners = (count, turn, inner = 1) => Array.from({ length: count }, (_, at) => {
  const angle = turn + (2 * Math.PI * at) / count;
  const reach = at % 2 ? inner : 1;
  return [reach * Math.cos(angle), reach * Math.sin(angle)];
});
const UP = -Math.PI / 2;
const POLYGONS = { square: corners(4, Math.PI / 4), triangle: corners(3, UP), diamond: corners(4, UP), down: corners(3, -UP), star: corners(10, UP, 0.45) };

// At a place of a canvas, about `size` pixels to either side.
export function drawShape(ctx, { shape, colour }, [x, y], size) {
  ctx.fillStyle = ctx.strokeStyle = colour;
  ctx.beginPath();
  if (shape === "disc" || shape === "ring") ctx.arc(x, y, shape === "ring" ? 0.65 * size : 0.9 * size, 0, 2 * Math.PI);
  else if (shape in POLYGONS) {
    POLYGONS[shape].forEach(([a, b], at) => (at ? ctx.lineTo(x + 1.15 * size * a, y + 1.15 * size * b) : ctx.moveTo(x + 1.15 * size * a, y + 1.15 * size * b)));
    ctx.closePath();
  } else {
    for (const [a, b] of corners(4, shape === "cross" ? Math.PI / 4 : 0).slice(0, 2)) {
      ctx.moveTo(x - size * a, y - size * b);
      ctx.lineTo(x + size * a, y + size * b);
    }
  }
  ctx.lineWidth = shape === "cross" || shape === "plus" ? size / 2 : size / 4;
  if (["ring", "cross", "plus"].includes(shape)) ctx.stroke();
  else ctx.fill();
}

// The same as a small picture beside a name.
export function swatch(style, size = 7) {
  const canvas = document.createElement("canvas");
  const ratio = devicePixelRatio;
  canvas.width = canvas.height = 2.4 * size * ratio;
  canvas.style.width = canvas.style.height = `${2.4 * size}px`;
  canvas.setAttribute("aria-hidden", "true");
  const ctx = canvas.getContext("2d");
  ctx.scale(ratio, ratio);
  drawShape(ctx, style, [1.2 * size, 1.2 * size], size);
  return canvas;
}
