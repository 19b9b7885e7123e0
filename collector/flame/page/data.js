"use strict";
/*
 * The data of the page. collector/flame/page_data.h describes its format.
 *
 * A tree here is an object of columns: parent, end (the first node that is no descendant), frame,
 * inlined; and leaf, the node of each sample. Nodes are in preorder, and the root is node 0.
 */

async function readData() {
	const text = atob(document.getElementById("data").textContent.replace(/\s+/g, ""));
	const bytes = new Uint8Array(text.length);

	for (let i = 0; i < bytes.length; i++)
		bytes[i] = text.charCodeAt(i);
	const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
	return unpack(await new Response(inflated).json());
}

function unpack(d) {
	const colours = new Map(d.categories.map((category, i) => [category, i]));
	const frames = d.frames.name.map((name, i) => ({
		name: d.strings[name],
		module: d.strings[d.frames.module[i]],
		file: d.strings[d.frames.file[i]],
		colour: colours.get(d.frames.category[i]) ?? -1,
		synthetic: d.frames.synthetic[i] === 1,
	}));
	const data = {
		types: d.types,
		type: d.type,
		categories: d.categories.map(i => d.strings[i]),
		frames,
		tree: unpackTree(d.nodes),
		labels: Int32Array.from(d.samples.labels),
		labelSets: d.labels,
		isBase: d.base,
		values: d.types.map((type, i) => Float64Array.from(d.samples.values[i])),
	};

	data.tree.leaf = unpackDeltas(d.samples.node);
	data.isComparison = data.isBase.includes(1) || data.values.some(v => v.some(x => x < 0));
	return data;
}

function unpackDeltas(deltas) {
	const out = new Int32Array(deltas.length);

	for (let i = 0, at = 0; i < out.length; i++)
		out[i] = at += deltas[i];
	return out;
}

function unpackTree(nodes) {
	const nr = nodes.up.length, path = [0];
	const tree = { parent: new Int32Array(nr), frame: new Int32Array(nr),
		       inlined: new Uint8Array(nr) };

	for (let i = 0, depth = 0; i < nr; i++) {
		if (i)
			depth += 1 - nodes.up[i];
		tree.parent[i] = i ? path[depth - 1] : -1;
		tree.frame[i] = nodes.frame[i] >> 1;
		tree.inlined[i] = nodes.frame[i] & 1;
		path[depth] = i;
	}
	return findEnds(tree);
}

function findEnds(tree) {
	const nr = tree.parent.length, end = new Int32Array(nr);

	for (let i = nr - 1; i >= 0; i--) {
		end[i] = end[i] || i + 1;
		if (i)
			end[tree.parent[i]] = Math.max(end[tree.parent[i]], end[i]);
	}
	tree.end = end;
	return tree;
}

/*
 * The values of a sample type: by sample and by node, and as new and base values of a comparison.
 * Without a comparison all base values are 0.
 */
function addUp(data, tree, type) {
	const nr = tree.parent.length, values = data.values[type];
	const sums = { now: new Float64Array(nr), base: new Float64Array(nr),
		       selfNow: new Float64Array(nr), selfBase: new Float64Array(nr) };

	for (let i = 0; i < values.length; i++) {
		const isBase = data.isBase[data.labels[i]] || values[i] < 0;
		const self = isBase ? sums.selfBase : sums.selfNow;

		self[tree.leaf[i]] += Math.abs(values[i]);
	}
	sums.now.set(sums.selfNow);
	sums.base.set(sums.selfBase);
	for (let i = nr - 1; i > 0; i--) {
		sums.now[tree.parent[i]] += sums.now[i];
		sums.base[tree.parent[i]] += sums.base[i];
	}
	return sums;
}

/* The keys by which samples can be grouped. */
function labelKeys(data) {
	const keys = new Set();

	for (const set of data.labelSets)
		for (let i = 0; i < set.length; i += 2)
			keys.add(set[i]);
	keys.delete("pprof::base");
	return [...keys].sort();
}

/* The value of a key in a label set; a key may have several values. */
function labelValue(set, key) {
	const values = [];

	for (let i = 0; i < set.length; i += 2)
		if (set[i] === key)
			values.push(set[i + 1]);
	return values.join(", ");
}

/* Numbers the groups. Returns: the frames of the groups, and the group of each sample. */
function groupSamples(data, key) {
	const ids = new Map(), frames = [], ofSet = data.labelSets.map(set => {
		const value = labelValue(set, key);

		if (!ids.has(value)) {
			ids.set(value, frames.length);
			frames.push({ name: value === "" ? `(no ${key})` : `${key}: ${value}`,
				      module: "", file: "", colour: -1, synthetic: false,
				      isGroup: true });
		}
		return ids.get(value);
	});

	return { frames, ofSample: data.labels.map(set => ofSet[set]) };
}

/* The samples of each group, in preorder. */
function samplesByGroup(groups) {
	const lists = groups.frames.map(() => []);

	groups.ofSample.forEach((group, sample) => lists[group].push(sample));
	return lists;
}

/*
 * Copies a tree so that the groups are the children of the root. Samples come in preorder. So a
 * node that is copied when a descendant needs it is in preorder, too.
 */
function groupTree(tree, groups, firstFrame) {
	const parent = [-1], frame = [0], inlined = [0], leaf = new Int32Array(tree.leaf.length);
	const copy = new Int32Array(tree.parent.length).fill(-1), missing = [];
	const add = (above, node, f) => {
		parent.push(above);
		frame.push(f);
		inlined.push(node < 0 ? 0 : tree.inlined[node]);
		return parent.length - 1;
	};

	samplesByGroup(groups).forEach((samples, group) => {
		const root = add(0, -1, firstFrame + group);

		copy[0] = root;
		for (const sample of samples) {
			let node = tree.leaf[sample];

			for (; node && copy[node] < root; node = tree.parent[node])
				missing.push(node);
			while (missing.length) {
				const next = missing.pop();

				copy[next] = add(copy[tree.parent[next]], next, tree.frame[next]);
			}
			leaf[sample] = copy[tree.leaf[sample]];
		}
	});
	return findEnds({ parent: Int32Array.from(parent), frame: Int32Array.from(frame),
			  inlined: Uint8Array.from(inlined), leaf });
}
