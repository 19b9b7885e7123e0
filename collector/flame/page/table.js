/* The table of functions: the same data as the chart, for eyes, ears and searches. */

const MAX_ROWS = 500;

const SORTS = {
	self: row => row.selfNow + row.selfBase,
	total: row => row.now + row.base,
	name: null,
};

function cell(text) {
	const td = document.createElement("td");

	td.textContent = text;
	return td;
}

function makeRow(view, row) {
	const tr = document.createElement("tr"), type = view.data.types[view.type];
	const frame = view.frames[row.frame];

	for (const [now, base] of [[row.selfNow, row.selfBase], [row.now, row.base]]) {
		const change = now - base;
		const show = text => view.data.isComparison ? signed(text, change) : text;

		tr.append(cell(show(formatValue(change, type))),
			  cell(show(formatPercent(change, view.whole))));
	}
	tr.append(cell(frame.name), cell(frame.module));
	return tr;
}

/* Shows the functions that the search matches, or all, the largest by a column first. */
function showTable(view, wanted, sort) {
	const { frames } = view, by = SORTS[sort];
	const rows = functionTotals(view).filter(row => !wanted || wanted[row.frame]);
	const caption = document.querySelector("#table caption");

	rows.sort((a, b) => by && by(b) - by(a) ||
		  (frames[a.frame].name < frames[b.frame].name ? -1 : 1));
	document.getElementById("rows").replaceChildren(
		...rows.slice(0, MAX_ROWS).map(row => makeRow(view, row)));
	caption.textContent = rows.length > MAX_ROWS ?
		`${MAX_ROWS} of ${rows.length.toLocaleString("en")} functions: search for others` :
		`${rows.length.toLocaleString("en")} functions`;
}

/* Makes buttons of the headings. onSort is called with the name of a column. */
function makeHeadings(onSort) {
	const headings = document.querySelectorAll("#table th");

	["self", "total", "name"].forEach((sort, i) => {
		const button = document.createElement("button");

		button.type = "button";
		button.textContent = headings[i].textContent;
		button.addEventListener("click", () => {
			headings.forEach(th => th.removeAttribute("aria-sort"));
			headings[i].setAttribute("aria-sort",
						 sort === "name" ? "ascending" : "descending");
			onSort(sort);
		});
		headings[i].replaceChildren(button);
	});
	headings[0].setAttribute("aria-sort", "descending");
}
