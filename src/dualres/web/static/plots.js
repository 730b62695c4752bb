// Plots by uPlot, in the page's own colours, as wide as their place.

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const living = new Map(); // places with their plots

const sizes = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) {
    const plot = living.get(target);
    if (plot && contentRect.width > 0) plot.setSize({ width: Math.floor(contentRect.width), height: plot.height });
  }
});

// Moments for an axis, in UTC: days where a day or more lies between two of them, else hours.
function moments(_, values) {
  const days = values.length < 2 || values[1] - values[0] >= 86400;
  const told = { timeZone: "UTC", ...(days ? { day: "numeric", month: "short" } : { hour: "2-digit", minute: "2-digit" }) };
  return values.map((value, at) => {
    const moment = new Date(1000 * value), before = at && new Date(1000 * values[at - 1]);
    const text = moment.toLocaleString("en-GB", told);
    return before && before.getUTCFullYear() === moment.getUTCFullYear() ? text : `${text}\n${moment.getUTCFullYear()}`;
  });
}

function axes(labels, time, utc) {
  const ink = colour("--quiet");
  const grid = { stroke: colour("--line"), width: 1 };
  return labels.map((label, at) => ({
    label, stroke: ink, grid, ticks: grid, font: "12px system-ui", labelFont: "12px system-ui",
    size: at ? 58 : utc ? 44 : 34, labelSize: 18, labelGap: 0,
    values: utc && !at ? moments : at || time ? undefined : (_, values) => values.map((value) => value.toLocaleString("en", { maximumFractionDigits: 6 })),
  }));
}

export function draw(place, data, { height = 180, labels, series, bands, hooks, select = true, scales, lines, spans = [], names, time = false, utc = false }) {
  living.get(place)?.destroy();
  const accent = colour("--accent");
  const options = {
    width: Math.max(200, Math.floor(place.clientWidth)), height,
    legend: { show: false }, scales: { x: { time }, ...scales }, axes: names ? [axes(labels, time)[0], named(names)] : axes(labels, time, utc),
    ...(utc && { tzDate: (seconds) => uPlot.tzDate(new Date(1000 * seconds), "Etc/UTC") }),
    cursor: { drag: { x: select, y: false, setScale: false }, points: { show: false } },
    series: [{}, ...series.map((one) => ({ stroke: one.bad ? colour("--bad") : accent, width: 1, points: { show: false }, ...one }))],
    bands: bands && [{ series: [2, 1], fill: `${accent}88` }],
    hooks: { drawAxes: [(plot) => shade(plot, spans)], draw: lines ? [(plot) => marks(plot, lines)] : [], ...hooks },
  };
  const plot = new uPlot(options, data, place);
  living.set(place, plot);
  sizes.observe(place);
  return plot;
}

// An axis whose places, counted from 0, have names.
function named(names) {
  const ink = colour("--quiet"), longest = Math.max(...names.map((name) => name.length));
  return {
    stroke: ink, grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui",
    size: Math.min(30 + 6.5 * longest, 150), splits: () => names.map((_, at) => at),
    values: () => names.map((name) => (name.length > 19 ? `${name.slice(0, 18)}…` : name)),
  };
}

// Stretches of the x axis, behind the curves.
function shade(plot, spans) {
  const { ctx, bbox } = plot;
  ctx.save();
  for (const span of spans) {
    const [left, right] = [span.low, span.high].map((x) => Math.min(Math.max(plot.valToPos(x, "x", true), bbox.left), bbox.left + bbox.width));
    ctx.globalAlpha = span.trait === "weak" ? 0.18 : 0.3;
    ctx.fillStyle = span.colour;
    ctx.fillRect(left, bbox.top, Math.max(right - left, 2 * devicePixelRatio), bbox.height);
    if (!span.name) continue;
    ctx.globalAlpha = 1;
    ctx.font = `600 ${11 * devicePixelRatio}px system-ui`;
    ctx.textAlign = "left";
    ctx.fillText(span.name, Math.min(left, bbox.left + bbox.width - ctx.measureText(span.name).width), bbox.top - 4 * devicePixelRatio);
  }
  ctx.restore();
}

// Vertical marks with names, such as fault lines: those that were found stand out.
function marks(plot, lines) {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = `${11 * ratio}px system-ui`;
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  const ends = [-Infinity, -Infinity, -Infinity, -Infinity]; // of the names in each of four rows
  lines.forEach((line) => {
    if (line.hz < plot.scales.x.min || line.hz > plot.scales.x.max) return;
    const x = plot.valToPos(line.hz, "x", true);
    ctx.strokeStyle = ctx.fillStyle = colour(line.named ? "--bad" : "--quiet");
    ctx.globalAlpha = line.named ? 1 : 0.7;
    ctx.setLineDash(line.named ? [] : [4 * ratio, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    if (!line.name) return;
    const wide = ctx.measureText(line.name).width;
    const left = Math.min(x + 3 * ratio, bbox.left + bbox.width - wide);
    const row = Math.max(0, ends.findIndex((end) => end < left));
    ends[row] = left + wide + 6 * ratio;
    ctx.fillText(line.name, left, bbox.top + (11 + 12 * row) * ratio);
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
