/*
 * A view is what the chart shows: a tree of items whose children are made when they are needed.
 * An item has frame, inlined, now and base (its values), selfNow and selfBase, level and parent.
 * view.children(item) returns its children, the widest first.
 */

function widthOf(item) {
	return item.now + item.base;
}

function sortItems(view, items) {
	const name = item => view.frames[item.frame].name;

	return items.sort((a, b) => widthOf(b) - widthOf(a) || (name(a) < name(b) ? -1 : 1));
}

/* state: type, group (a label key or ""), inverted. */
function makeView(data, state) {
	const view = { data, frames: data.frames, tree: data.tree, type: state.type,
		       group: state.group, inverted: state.inverted };

	if (state.group) {
		const groups = groupSamples(data, state.group);

		view.frames = data.frames.concat(groups.frames);
		view.tree = groupTree(data.tree, groups, data.frames.length);
	}
	view.sums = addUp(data, view.tree, state.type);
	view.children = state.inverted ? invertedChildren : topDownChildren;
	view.root = { frame: 0, inlined: false, level: 0, parent: null, node: 0,
		      now: view.sums.now[0], base: view.sums.base[0], selfNow: view.sums.selfNow[0],
		      selfBase: view.sums.selfBase[0] };
	view.width = widthOf(view.root);
	/* A comparison's percentages are of the base, as go tool pprof's are. */
	view.whole = view.root.base || view.width;
	return view;
}

/* Children narrower than least are left out: most nodes of a large profile are. */
function topDownChildren(item, least) {
	const { tree, sums } = this, out = [];

	for (let i = item.node + 1; i < tree.end[item.node]; i = tree.end[i]) {
		if (sums.now[i] + sums.base[i] >= least)
			out.push({ frame: tree.frame[i], inlined: tree.inlined[i] === 1, node: i,
				   level: item.level + 1, parent: item, now: sums.now[i],
				   base: sums.base[i], selfNow: sums.selfNow[i],
				   selfBase: sums.selfBase[i] });
	}
	return sortItems(this, out);
}

/*
 * An inverted item has entries: at, the nodes that have its frame; and leaf, the nodes where the
 * stacks end. Its children are the callers, found one level above at.
 */
function invertedChildren(item) {
	item.children = item.children || sortItems(this, callers(this, item));
	return item.children;
}

/* Leaves below a node, the node included. */
function leaves(view, node) {
	const { sums, tree } = view, leaf = [];

	for (let i = node; i < tree.end[node]; i++)
		if (sums.selfNow[i] || sums.selfBase[i])
			leaf.push(i);
	return leaf;
}

function callers(view, item) {
	const { tree } = view, isRoot = item.level === 0;

	if (isRoot && view.group)
		return topDownChildren.call(view, item, 0);
	if (isRoot || item.node !== undefined) {
		const leaf = leaves(view, item.node).filter(i => i !== item.node);

		return split(view, item, leaf, leaf);
	}
	const at = [], leaf = [], top = view.group ? 1 : 0;

	item.at.forEach((node, i) => {
		const caller = tree.parent[node];

		if (caller > 0 && !(top && tree.parent[caller] === 0)) {
			at.push(caller);
			leaf.push(item.leaf[i]);
		}
	});
	return split(view, item, at, leaf);
}

/* Makes an item of the entries of each frame. All of a leaf's own value is in its first frame. */
function split(view, parent, at, leaf) {
	const { tree, sums } = view, byFrame = new Map(), isLeaf = at === leaf;

	for (let i = 0; i < at.length; i++) {
		const frame = tree.frame[at[i]];
		let child = byFrame.get(frame);

		if (!child) {
			child = { frame, inlined: true, level: parent.level + 1, parent, now: 0,
				  base: 0, selfNow: 0, selfBase: 0, at: [], leaf: [] };
			byFrame.set(frame, child);
		}
		child.at.push(at[i]);
		child.leaf.push(leaf[i]);
		child.inlined = child.inlined && tree.inlined[at[i]] === 1;
		child.now += sums.selfNow[leaf[i]];
		child.base += sums.selfBase[leaf[i]];
		if (isLeaf) {
			child.selfNow = child.now;
			child.selfBase = child.base;
		}
	}
	return [...byFrame.values()];
}

/*
 * The values of samples whose stack has a frame for which wanted(frame) is true. Each counts once,
 * however often such frames are in its stack.
 */
function matched(view, wanted) {
	const { tree, sums } = view, sum = { now: 0, base: 0 };

	for (let i = 0; i < tree.parent.length;) {
		if (!wanted[tree.frame[i]]) {
			i++;
			continue;
		}
		sum.now += sums.now[i];
		sum.base += sums.base[i];
		i = tree.end[i];
	}
	return sum;
}

/* The values of each function: self and total, where recursion counts once. */
function functionTotals(view) {
	const { tree, sums, frames } = view, nr = tree.parent.length;
	const rows = frames.map((f, frame) => ({ frame, selfNow: 0, selfBase: 0, now: 0, base: 0 }));
	const outermost = new Int32Array(frames.length);	/* the end of the node that counts */

	for (let i = 1; i < nr; i++) {
		const row = rows[tree.frame[i]];

		row.selfNow += sums.selfNow[i];
		row.selfBase += sums.selfBase[i];
		if (i < outermost[tree.frame[i]])
			continue;
		outermost[tree.frame[i]] = tree.end[i];
		row.now += sums.now[i];
		row.base += sums.base[i];
	}
	return rows.filter(row => widthOf(row) > 0 && !frames[row.frame].isGroup);
}
