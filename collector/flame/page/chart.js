/*
 * The chart draws a view into a canvas, as wide as the window. Only rows in sight are drawn, and
 * only frames that are wide enough to be seen are laid out. Boxes have item, x, width and row.
 */

const ROW = 19, LEAST = 0.4, EDGE = 3;		/* pixels */
const NR_COLOURS = 8, CHANGE_STEPS = 4;		/* as in colours.css */
const LEAST_CHANGE = 0.01;		/* a smaller change is none; of the old and the new value */

/* Reads the colours of the present scheme from the style sheet. */
function readColours() {
	const probe = document.createElement("i"), colours = {};
	const root = getComputedStyle(document.documentElement);
	const names = ["root", "lost", "same", "ink"];

	for (let i = 0; i <= NR_COLOURS; i++)
		names.push(`c${i}`);
	for (let i = 1; i <= CHANGE_STEPS; i++)
		names.push(`more${i}`, `less${i}`);
	document.body.append(probe);
	for (const name of names) {
		probe.className = name;
		colours[name] = getComputedStyle(probe).fill;
	}
	probe.remove();
	for (const name of ["edge", "match", "match-ink", "hatch", "paper", "accent"])
		colours[name] = root.getPropertyValue(`--${name}`).trim();
	return colours;
}

function colourClass(view, item) {
	const frame = view.frames[item.frame], part = (item.now - item.base) / (widthOf(item) || 1);
	const step = Math.ceil((Math.abs(part) - LEAST_CHANGE) * CHANGE_STEPS);

	if (item.level === 0 || frame.isGroup)
		return "root";
	if (frame.synthetic)
		return "lost";
	if (view.data.isComparison)
		return step > 0 ? (part < 0 ? "less" : "more") + step : "same";
	return `c${frame.colour < 0 || frame.colour > NR_COLOURS ? NR_COLOURS : frame.colour}`;
}

/* The ancestors of an item, from the root on. */
function ancestors(item) {
	return item.parent ? [...ancestors(item.parent), item.parent] : [];
}

/* Lays out what is below zoom in a width; its ancestors are as wide as it. */
function layOut(view, zoom, width) {
	const rows = [], scale = width / (widthOf(zoom) || 1), least = LEAST / scale;
	const put = (item, x, w) => {
		const box = { item, x, width: w, row: item.level };

		rows[item.level] = rows[item.level] || [];
		rows[item.level].push(box);
		return box;
	};
	let stack = [];

	ancestors(zoom).forEach(item => put(item, 0, width).isFaded = true);
	stack.push(put(zoom, 0, width));
	while (stack.length) {
		const box = stack.pop(), below = [];
		let x = box.x;

		for (const child of view.children(box.item, least)) {
			const w = widthOf(child) * scale;

			if (w < LEAST)
				break;
			below.push(put(child, x, w));
			x += w;
		}
		/* The leftmost is popped first: so boxes of a row are sorted by x. */
		while (below.length)
			stack.push(below.pop());
	}
	return rows;
}

/* Finds the box at a point in a layout. */
function boxAt(rows, x, y) {
	const row = rows[Math.floor(y / ROW)] || [];
	let low = 0, high = row.length;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (row[middle].x + row[middle].width <= x)
			low = middle + 1;
		else
			high = middle;
	}
	return low < row.length && row[low].x <= x ? row[low] : null;
}

class Chart {
	constructor(canvas, scroller, stage) {
		this.canvas = canvas;
		this.scroller = scroller;
		this.stage = stage;
		this.context = canvas.getContext("2d");
		this.rows = [];
		this.focus = null;
		this.hover = null;
		this.wanted = null;	/* by frame: does the search match? null: there is none */
		this.readColours();
	}

	readColours() {
		this.colours = readColours();
		this.hatch = this.makeHatch();
	}

	makeHatch() {
		const tile = document.createElement("canvas"), c = tile.getContext("2d");

		tile.width = tile.height = 8;
		c.strokeStyle = this.colours.hatch;
		c.lineWidth = 1.5;
		for (const x of [-8, 0, 8]) {
			c.moveTo(x, 8);
			c.lineTo(x + 8, 0);
		}
		c.stroke();
		return this.context.createPattern(tile, "repeat");
	}

	show(view, zoom) {
		this.view = view;
		this.zoom = zoom;
		this.resize();
	}

	resize() {
		if (!this.view)
			return;
		const width = this.scroller.clientWidth, height = this.scroller.clientHeight;

		this.rows = layOut(this.view, this.zoom, width);
		this.stage.style.height = `${Math.max(this.rows.length * ROW + 8, height)}px`;
		/* The height of the rows may have brought or taken the scroll bar. */
		if (this.scroller.clientWidth !== width)
			this.rows = layOut(this.view, this.zoom, this.scroller.clientWidth);
		this.draw();
	}

	draw() {
		const ratio = devicePixelRatio || 1, c = this.context;
		const width = this.scroller.clientWidth, height = this.scroller.clientHeight;
		const top = this.scroller.scrollTop, first = Math.floor(top / ROW);

		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.height = `${height}px`;
		c.setTransform(ratio, 0, 0, ratio, 0, -top * ratio);
		c.font = "12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";
		c.textBaseline = "middle";
		this.letter = c.measureText("0123456789").width / 10;
		for (let i = first; i <= first + height / ROW + 1 && i < this.rows.length; i++)
			for (const box of this.rows[i] || [])
				this.drawBox(box);
		this.drawMark(this.hover, 1);
		this.drawMark(this.focus, 2);
	}

	drawBox(box) {
		const c = this.context, { item, x, width } = box, y = box.row * ROW;
		const isWanted = this.wanted && this.wanted[item.frame], gap = width > 2 ? 0.6 : 0;
		const kind = colourClass(this.view, item);
		const frame = this.view.frames[item.frame];

		/* Frames of one colour differ a little in strength, so that the eye finds edges. */
		c.globalAlpha = this.wanted && !isWanted ? 0.28 :
			box.isFaded ? 0.55 : !isWanted && /^c/.test(kind) ? 1 - hashName(frame.name) * 0.07 : 1;
		c.fillStyle = isWanted ? this.colours.match : this.colours[kind];
		c.fillRect(x, y, width - gap, ROW - (item.inlined ? 0 : 1));
		if (frame.synthetic) {
			c.fillStyle = this.hatch;
			c.fillRect(x, y, width - gap, ROW - 1);
		}
		c.globalAlpha = this.wanted && !isWanted ? 0.75 : 1;
		c.fillStyle = isWanted ? this.colours["match-ink"] : this.colours.ink;
		this.drawName(box, y);
		c.globalAlpha = 1;
	}

	drawName(box, y) {
		const { item, x, width } = box, left = Math.max(x, 0), view = this.view;
		const change = item.now - item.base;
		const room = Math.floor((width - 2 * EDGE) / this.letter);

		if (room < 3)
			return;
		const before = view.data.isComparison ?
			`${signed((100 * change / view.whole).toFixed(1), change)}% ` : "";
		const name = fitName(view.frames[item.frame].name, room - before.length);

		this.context.fillText(before.length <= room ? before + name : "", left + EDGE,
				      y + ROW / 2, width - 2 * EDGE);
	}

	/* A frame around the box of an item. */
	drawMark(item, strength) {
		const box = item && this.boxOf(item), c = this.context;

		if (!box)
			return;
		c.strokeStyle = strength > 1 ? this.colours.accent : this.colours.ink;
		c.lineWidth = strength;
		c.strokeRect(box.x + 1, box.row * ROW + 0.5, Math.max(box.width - 2, 1), ROW - 2);
	}

	boxOf(item) {
		return (this.rows[item.level] || []).find(box => isSame(box.item, item));
	}

	/* The box under the pointer of an event. */
	boxUnder(event) {
		const at = this.canvas.getBoundingClientRect();

		return boxAt(this.rows, event.clientX - at.left,
			     event.clientY - at.top + this.scroller.scrollTop);
	}

	scrollTo(item) {
		const y = item.level * ROW, { scrollTop, clientHeight } = this.scroller;

		if (y < scrollTop)
			this.scroller.scrollTop = y;
		else if (y + ROW > scrollTop + clientHeight)
			this.scroller.scrollTop = y + ROW - clientHeight;
	}

	/* The item that an arrow key goes to, or null. */
	neighbour(item, key) {
		const row = this.rows[item.level] || [], at = row.findIndex(b => isSame(b.item, item));

		if (key === "ArrowUp")
			return item.parent;
		if (key === "ArrowDown") {
			const below = (this.rows[item.level + 1] || []);

			return below.find(b => isSame(b.item.parent, item))?.item || null;
		}
		return row[at + (key === "ArrowRight" ? 1 : -1)]?.item || null;
	}
}

/* Layouts make new items for the same frames. */
function isSame(a, b) {
	for (; a !== b && a && b; a = a.parent, b = b.parent)
		if (a.frame !== b.frame)
			return false;
	return a === b;
}
