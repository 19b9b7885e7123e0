/* Values and names as people read them. */

const TIMES = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
const SIZES = [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];

/* type is an entry of data.types. */
function formatValue(value, [type, unit, nanoseconds, bytes]) {
	if (!nanoseconds && !bytes)
		return `${value.toLocaleString("en")} ${unit === "count" ? type : unit}`;
	const steps = nanoseconds ? TIMES : SIZES, base = value * (nanoseconds || bytes);
	const [size, name] = steps.find(step => Math.abs(base) >= step[0]) || steps.at(-1);

	return `${(base / size).toFixed(size === 1 ? 0 : 2)} ${name}`;
}

function formatPercent(part, whole) {
	return `${(whole ? 100 * part / whole : 0).toFixed(2)} %`;
}

function signed(text, number) {
	return number > 0 ? `+${text}` : text.replace("-", "−");
}

/* The value of an item: of a comparison the change, with old and new. */
function describeValue(view, now, base) {
	const type = view.data.types[view.type], change = now - base;

	if (!view.data.isComparison)
		return `${formatValue(now, type)} (${formatPercent(now, view.whole)})`;
	return `${signed(formatValue(change, type), change)} ` +
	       `(${signed(formatPercent(change, view.whole), change)}): ` +
	       `${formatValue(base, type)} → ${formatValue(now, type)}`;
}

function describeItem(view, item) {
	const frame = view.frames[item.frame];
	const name = frame.name + (item.inlined ? " (inlined)" : "");
	const facts = [describeValue(view, item.now, item.base)];

	if (item.selfNow + item.selfBase > 0)
		facts.push(`self ${describeValue(view, item.selfNow, item.selfBase)}`);
	if (frame.module)
		facts.push(frame.module);
	if (frame.file)
		facts.push(frame.file);
	return { name, facts: facts.join(" · ") };
}

/* A name without the arguments of functions and templates. */
function shortName(name) {
	let out = "", depth = 0;

	if (/^[<([]|operator/.test(name))
		return name;
	for (const c of name) {
		if (c === "(" || c === "<")
			depth++;
		if (!depth)
			out += c;
		if (c === ")" || c === ">")
			depth--;
	}
	return depth ? name : out;
}

/* The part of a name that fits into a number of letters. */
function fitName(name, room) {
	if (name.length <= room)
		return name;
	const short = shortName(name);

	if (short.length <= room)
		return short;
	const last = short.split("::").at(-1);

	if (last.length + 1 <= room && last !== short)
		return `…${last}`;
	return room < 3 ? "" : `${short.slice(0, room - 1)}…`;
}

/* A small number that differs for names that differ. */
function hashName(name) {
	let hash = 0;

	for (let i = 0; i < name.length; i++)
		hash = hash * 31 + name.charCodeAt(i) | 0;
	return (hash ^ hash >>> 15) & 3;
}
