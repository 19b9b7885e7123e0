/* Controls, keys and the address. */

const $ = id => document.getElementById(id);

const app = {
	data: null,
	view: null,
	chart: null,
	zoom: null,
	sort: "self",
	/* What the address has: #type=0&group=&inverted=0&table=0&search=&case=0&zoom=1.5.7 */
	state: { type: 0, group: "", inverted: false, table: false, search: "", matchCase: false },
};

function readAddress() {
	const address = new URLSearchParams(location.hash.slice(1)), { state, data } = app;
	const type = Number(address.get("type") ?? data.type);

	state.type = data.types[type] ? type : data.type;
	state.group = labelKeys(data).includes(address.get("group")) ? address.get("group") : "";
	state.inverted = address.get("inverted") === "1";
	state.table = address.get("table") === "1";
	state.search = address.get("search") || "";
	state.matchCase = address.get("case") === "1";
	return (address.get("zoom") || "").split(".").filter(Boolean).map(Number);
}

function writeAddress() {
	const { state, data, zoom } = app, address = new URLSearchParams();

	if (state.type !== data.type)
		address.set("type", state.type);
	if (state.group)
		address.set("group", state.group);
	if (state.inverted)
		address.set("inverted", "1");
	if (state.table)
		address.set("table", "1");
	if (state.search)
		address.set("search", state.search);
	if (state.matchCase)
		address.set("case", "1");
	if (zoom.parent)
		address.set("zoom", [...ancestors(zoom).slice(1), zoom].map(i => i.frame).join("."));
	/* Chromium does not allow many of these a second; the address is not worth an error. */
	try {
		history.replaceState(null, "", address.size ? `#${address}` : location.pathname);
	} catch {}
}

/* Finds an item by the frames on the way from the root, as far as they exist. */
function findItem(view, frames) {
	let item = view.root;

	for (const frame of frames) {
		const next = view.children(item, 0).find(child => child.frame === frame);

		if (!next)
			break;
		item = next;
	}
	return item;
}

/* Shows another view. frames: where to zoom. */
function changeView(frames) {
	const { state, data, chart } = app;

	app.view = makeView(data, state);
	app.zoom = findItem(app.view, frames);
	chart.focus = app.zoom;
	chart.hover = null;
	$("type").value = state.type;
	$("group").value = state.group;
	$("inverted").setAttribute("aria-pressed", state.inverted);
	$("as-table").setAttribute("aria-pressed", state.table);
	document.body.classList.toggle("as-table", state.table);
	showFacts();
	search();
}

/* Draws the present view. */
function update() {
	const { state, view, zoom, chart } = app;

	$("reset").disabled = !zoom.parent;
	if (state.table)
		showTable(view, chart.wanted, app.sort);
	else
		chart.show(view, zoom);
	showFocus();
	writeAddress();
}

function showFacts() {
	const { view, data } = app, { isComparison } = data;
	const lost = matched(view, view.frames.map(f => f.synthetic));
	const { now, base } = view.root;
	const facts = [isComparison ? `Change: ${describeValue(view, now, base)}` :
		       `Total: ${formatValue(now, data.types[view.type])}`];

	if (widthOf(lost))
		facts.push(`truncated or lost stacks: ${formatPercent(widthOf(lost), view.width)}`);
	if (isComparison)
		facts.push("width: old and new; percentages are of the old total");
	$("facts").textContent = facts.join(" · ");
}

function showFocus() {
	const { view, chart } = app, item = chart.focus, focused = $("focused");
	const { name, facts } = describeItem(view, item);

	fill($("details"), name, facts);
	focused.setAttribute("aria-level", item.level + 1);
	focused.setAttribute("aria-label", `${name}: ${facts}`);
}

function fill(element, name, facts) {
	const lines = [["name", name], ["facts", facts]].map(([kind, text]) => {
		const line = document.createElement("div");

		line.className = kind;
		line.textContent = text;
		return line;
	});

	element.replaceChildren(...lines);
}

function zoomTo(item) {
	app.zoom = item;
	app.chart.focus = item;
	app.chart.hover = null;
	$("tip").hidden = true;
	update();
	app.chart.scrollTo(item);
	app.chart.draw();
}

function focusItem(item) {
	app.chart.focus = item;
	app.chart.scrollTo(item);
	app.chart.draw();
	showFocus();
}

/* Finds the frames whose name or module matches the search, and says their share. */
function search() {
	const { state, view, chart } = app;
	let pattern = null;

	$("search").value = state.search;
	$("match-case").checked = state.matchCase;
	$("search").removeAttribute("aria-invalid");
	$("found").textContent = "";
	chart.wanted = null;
	try {
		pattern = state.search && new RegExp(state.search, state.matchCase ? "" : "i");
	} catch {
		$("search").setAttribute("aria-invalid", "true");
		$("found").textContent = "Not a regular expression";
	}
	if (pattern) {
		chart.wanted = view.frames.map((f, i) => i > 0 && pattern.test(f.name));
		const sum = matched(view, chart.wanted);

		$("found").textContent = `${formatPercent(widthOf(sum), view.width)} in ` +
			`${chart.wanted.filter(Boolean).length.toLocaleString("en")} functions`;
	}
	update();
}

function showTip(event) {
	const box = app.chart.boxUnder(event), tip = $("tip"), item = box ? box.item : null;

	if (app.chart.hover !== item) {
		app.chart.hover = item;
		app.chart.draw();
	}
	tip.hidden = !item;
	if (!item)
		return;
	const { name, facts } = describeItem(app.view, item);

	fill(tip, name, facts);
	const right = innerWidth - tip.offsetWidth - 8, below = event.clientY + 18;

	tip.style.left = `${Math.max(4, Math.min(event.clientX + 12, right))}px`;
	tip.style.top = below + tip.offsetHeight < innerHeight ?
		`${below}px` : `${event.clientY - tip.offsetHeight - 10}px`;
}

function hideTip() {
	$("tip").hidden = true;
	app.chart.hover = null;
	app.chart.draw();
}

function onChartKey(event) {
	const { chart } = app, { key } = event;

	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	if (/^Arrow/.test(key)) {
		const next = chart.neighbour(chart.focus, key);

		if (next)
			focusItem(next);
	} else if (key === "Enter" || key === " ") {
		zoomTo(chart.focus);
	} else if (key === "Home") {
		focusItem(app.view.root);
	} else {
		return;
	}
	event.preventDefault();
}

function toggle(name) {
	app.state[name] = !app.state[name];
	changeView(name === "table" && app.zoom.parent ?
		   [...ancestors(app.zoom).slice(1), app.zoom].map(i => i.frame) : []);
}

function onKey(event) {
	const isTyping = /^(INPUT|SELECT)$/.test(event.target.tagName);
	const isFind = (event.ctrlKey || event.metaKey) && event.key === "f";

	if (isFind || (event.key === "/" && !isTyping)) {
		$("search").focus();
		$("search").select();
		event.preventDefault();
	} else if (event.key === "Escape") {
		if (isTyping && app.state.search)
			setSearch("");
		else
			zoomTo(app.view.root);
	} else if (!isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
		if (event.key === "i")
			toggle("inverted");
		else if (event.key === "t")
			toggle("table");
	}
}

function setSearch(text) {
	app.state.search = text;
	search();
}

function addOption(select, value, text) {
	const option = document.createElement("option");

	option.value = value;
	option.textContent = text;
	select.append(option);
}

function makeControls() {
	const { data, state } = app, keys = labelKeys(data);

	data.types.forEach(([type, unit], i) => addOption($("type"), i, `${type} (${unit})`));
	$("type-box").hidden = data.types.length < 2;
	addOption($("group"), "", "all together");
	keys.forEach(key => addOption($("group"), key, key));
	$("group-box").hidden = keys.length === 0;
	$("controls").hidden = false;
	$("type").addEventListener("change", () => {
		state.type = Number($("type").value);
		changeView([]);
	});
	$("group").addEventListener("change", () => {
		state.group = $("group").value;
		changeView([]);
	});
	$("inverted").addEventListener("click", () => toggle("inverted"));
	$("as-table").addEventListener("click", () => toggle("table"));
	$("reset").addEventListener("click", () => zoomTo(app.view.root));
	$("search").addEventListener("input", () => setSearch($("search").value));
	$("match-case").addEventListener("change", () => {
		state.matchCase = $("match-case").checked;
		search();
	});
	makeHeadings(sort => {
		app.sort = sort;
		update();
	});
}

/* A swatch is a small picture: it gets its colour from the style sheet, as frames do. */
function addSwatch(kind, text) {
	const entry = document.createElement("span");
	const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
	const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");

	rect.setAttribute("width", "12");
	rect.setAttribute("height", "12");
	rect.setAttribute("class", kind);
	svg.append(rect);
	entry.append(svg, text);
	$("legend").append(entry);
}

function makeLegend() {
	const { data } = app;

	if (data.isComparison) {
		addSwatch("more4", "+ more than before");
		addSwatch("same", "the same");
		addSwatch("less4", "− less than before");
	} else {
		data.categories.slice(0, NR_COLOURS).forEach((name, i) =>
			addSwatch(`c${i}`, name || "(no module)"));
		if (data.categories.length > NR_COLOURS)
			addSwatch(`c${NR_COLOURS}`, `${data.categories.length - NR_COLOURS} others`);
	}
	if (data.frames.some(f => f.synthetic))
		addSwatch("lost", "truncated or lost");
}

function makeChart() {
	const scroller = $("chart"), chart = new Chart($("canvas"), scroller, $("stage"));

	app.chart = chart;
	scroller.addEventListener("scroll", () => requestAnimationFrame(() => chart.draw()));
	scroller.addEventListener("keydown", onChartKey);
	$("canvas").addEventListener("mousemove", showTip);
	$("canvas").addEventListener("mouseleave", hideTip);
	$("canvas").addEventListener("click", event => {
		const box = chart.boxUnder(event);

		if (box)
			zoomTo(box.item);
	});
	new ResizeObserver(() => chart.resize()).observe(scroller);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
		chart.readColours();
		chart.draw();
	});
}

async function main() {
	try {
		app.data = await readData();
	} catch (error) {
		$("facts").textContent = `This page cannot be read: ${error.message}. ` +
			"Use a browser of 2023 or later, or write the page again.";
		return;
	}
	makeControls();
	makeLegend();
	makeChart();
	document.addEventListener("keydown", onKey);
	addEventListener("hashchange", () => changeView(readAddress()));
	changeView(readAddress());
	document.documentElement.dataset.ready = "yes";
}

main();
