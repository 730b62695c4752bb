// Plots by uPlot, in the page's own colours, as wide as their place.

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const living = new Map(); // places with their plots

const sizes = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) {
    const plot = living.get(target);
    if (plot && contentRect.width > 0) plot.setSize({ width: Math.floor(contentRect.width), height: plot.height });
  }
});

function axes(labels, time) {
  const ink = colour("--quiet");
  const grid = { stroke: colour("--line"), width: 1 };
  return labels.map((label, at) => ({
    label, stroke: ink, grid, ticks: grid, font: "12px system-ui", labelFont: "12px system-ui",
    size: at ? 58 : 34, labelSize: 18, labelGap: 0,
    values: at || time ? undefined : (_, values) => values.map((value) => value.toLocaleString("en", { maximumFractionDigits: 6 })),
  }));
}

export function draw(place, data, { height = 180, labels, series, bands, hooks, select = true, scales, lines, time = false }) {
  living.get(place)?.destroy();
  const accent = colour("--accent");
  const options = {
    width: Math.max(200, Math.floor(place.clientWidth)), height,
    legend: { show: false }, scales: { x: { time }, ...scales }, axes: axes(labels, time),
    cursor: { drag: { x: select, y: false, setScale: false }, points: { show: false } },
    series: [{}, ...series.map((one) => ({ stroke: one.bad ? colour("--bad") : accent, width: 1, points: { show: false }, ...one }))],
    bands: bands && [{ series: [2, 1], fill: `${accent}88` }],
    hooks: { draw: lines ? [(plot) => marks(plot, lines)] : [], ...hooks },
  };
  const plot = new uPlot(options, data, place);
  living.set(place, plot);
  sizes.observe(place);
  return plot;
}

// Vertical marks with names, such as fault lines: those that were found stand out.
function marks(plot, lines) {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = `${11 * ratio}px system-ui`;
  lines.forEach((line, number) => {
    if (line.hz < plot.scales.x.min || line.hz > plot.scales.x.max) return;
    const x = plot.valToPos(line.hz, "x", true);
    ctx.strokeStyle = ctx.fillStyle = colour(line.named ? "--bad" : "--quiet");
    ctx.globalAlpha = line.named ? 1 : 0.7;
    ctx.setLineDash(line.named ? [] : [4 * ratio, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.fillText(line.name, x + 3 * ratio, bbox.top + (11 + 12 * (number % 4)) * ratio);
  });
  ctx.restore();
}

// From dark to bright, equally far apart to the eye.
const RAMP = [[13, 20, 40], [24, 52, 92], [24, 97, 125], [44, 145, 137], [122, 190, 120], [226, 222, 120], [255, 250, 222]];

// A grid of brightness, row by row from the lowest frequency, as a picture of its own.
export function heat(canvas, grid, columns, rows) {
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext("2d");
  const picture = context.createImageData(columns, rows);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const value = grid[row * columns + column] / 255;
      const at = 4 * ((rows - 1 - row) * columns + column);
      const low = Math.min(Math.floor(value * (RAMP.length - 1)), RAMP.length - 2);
      const share = value * (RAMP.length - 1) - low;
      for (let part = 0; part < 3; part++) picture.data[at + part] = RAMP[low][part] * (1 - share) + RAMP[low + 1][part] * share;
      picture.data[at + 3] = 255;
    }
  }
  context.putImageData(picture, 0, 0);
}
