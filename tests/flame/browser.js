// SPDX-License-Identifier: GPL-2.0
"use strict";
/*
 * Uses the flame graphs in a folder (tests/flame/pages.c) as a person does, in Chromium: node
 * browser.js FOLDER. Prints TAP.
 */

const assert = require("assert");
const { Chromium } = require("./chromium.js");

const folder = process.argv[2], page = `file://${folder}/plain.html`;
const WIDTH = 1000, HEIGHT = 600, EVIL = "</script><img src=x onerror=alert(1)>\"'&";
const browser = new Chromium(folder);
const tests = [];

const test = (name, run) => tests.push([name, run]);
const text = id => browser.run(`document.getElementById("${id}").innerText`);
const focused = () => browser.run('document.getElementById("focused").getAttribute("aria-label")');
const click = id => browser.run(`document.getElementById("${id}").click()`);
const address = () => browser.run("location.hash");

/* Clicks into the chart: x as a share of its width, and a row from 0 on. */
async function clickFrame(x, row) {
	const at = await browser.run(`(() => {
		const c = document.getElementById("canvas").getBoundingClientRect();
		return { x: c.left, y: c.top, width: c.width };
	})()`);

	await browser.click(at.x + x * at.width, at.y + row * 19 + 9);
}

async function choose(id, value) {
	await browser.run(`(() => {
		const select = document.getElementById("${id}");
		select.value = ${JSON.stringify(value)};
		select.dispatchEvent(new Event("change"));
	})()`);
}

async function search(pattern) {
	await browser.run('document.getElementById("search").focus()');
	await browser.run('document.getElementById("search").select()');
	await browser.type(pattern);
	return text("found");
}

const keys = async (...names) => {
	await browser.run('document.getElementById("chart").focus()');
	await browser.key(...names);
	return focused();
};

/* The colour of a point of the chart: red, green, blue. */
const colourAt = (x, row) => browser.run(`(() => {
	const c = document.getElementById("canvas");
	const point = c.getContext("2d").getImageData(${x} * c.width, ${row} * 19 + 3, 1, 1);
	return [...point.data].slice(0, 3);
})()`);

test("opens from a file, and loads nothing else", async () => {
	assert.deepEqual(browser.requests, [page]);
	assert.equal(await browser.run("document.title"), "A <title> & 'more'");
	assert.equal(await text("facts"), "Total: 1.00 s · truncated or lost stacks: 5.00 %");
});

test("the widest frame is at the left; arrow keys move, and names are read", async () => {
	assert.equal(await keys("ArrowDown"), "main: 950.00 ms (95.00 %) · prog · prog.c");
	assert.equal(await keys("ArrowDown"), "run: 550.00 ms (55.00 %) · prog · prog.c");
	assert.equal(await keys("ArrowRight"), "parse: 400.00 ms (40.00 %) · prog · prog.c");
	assert.equal(await keys("ArrowDown"), `${EVIL}: 300.00 ms (30.00 %) · ` +
		     "self 300.00 ms (30.00 %) · prog · prog.c");
	assert.match(await keys("ArrowRight"), /^malloc: 100.00 ms/);
	assert.match(await keys("ArrowUp", "ArrowLeft"), /^run: /);
	assert.match(await keys("Home"), /^all: /);
	assert.equal(await browser.run('document.getElementById("focused").ariaLevel'), "1");
});

test("a name is text", async () => {
	await keys("ArrowDown", "ArrowDown", "ArrowRight", "ArrowDown");
	assert.match(await text("details"), new RegExp(`^${EVIL.replace(/[()]/g, "\\$&")}\n`));
	await click("as-table");
	assert.match(await text("rows"), /<img src=x onerror=alert\(1\)>/);
	assert.equal(await browser.run('document.querySelectorAll("img").length'), 0);
});

test("a click zooms, and the address keeps it", async () => {
	await clickFrame(0.7, 2);
	assert.match(await text("details"), /^parse\n400.00 ms/);
	await clickFrame(0.9, 3);
	assert.match(await text("details"), /^malloc\n100.00 ms/);
	const kept = await address();

	assert.match(kept, /^#zoom=\d+\.\d+\.\d+$/);
	await clickFrame(0.5, 2);
	assert.match(await text("details"), /^parse\n/);
	await click("reset");
	assert.match(await text("details"), /^all\n/);
	assert.equal(await address(), "");
	await browser.load(page + kept);
	assert.match(await text("details"), /^malloc\n100.00 ms/);
	assert.equal(await browser.run('document.getElementById("reset").disabled'), false);
});

test("Enter zooms, and Escape shows all again", async () => {
	await keys("ArrowDown", "ArrowDown", "Enter");
	assert.notEqual(await address(), "");
	await clickFrame(0.9, 3);
	assert.match(await text("details"), /^malloc\n200.00 ms/);
	await keys("Escape");
	assert.equal(await address(), "");
	assert.match(await text("details"), /^all\n/);
});

test("the pointer shows a tip", async () => {
	assert.equal(await browser.run('document.getElementById("tip").hidden'), true);
	await clickFrame(0.7, 2);
	await clickFrame(0.9, 3);
	const top = await browser.run('document.getElementById("canvas").getBoundingClientRect().top');

	await browser.send("Input.dispatchMouseEvent",
			   { type: "mouseMoved", x: 300, y: top + 3 * 19 + 8 });
	assert.match(await text("tip"), /^malloc\n100.00 ms \(10.00 %\)/);
});

test("a search says its share, and counts nested frames once", async () => {
	assert.equal(await search("malloc"), "30.00 % in 1 functions");
	assert.equal(await search("^run$"), "55.00 % in 1 functions");
	assert.equal(await search("MALLOC|parse"), "60.00 % in 2 functions");
	await click("match-case");
	assert.equal(await search("MALLOC|parse"), "40.00 % in 1 functions");
	assert.equal(await search("("), "Not a regular expression");
	assert.equal(await search("nothing"), "0.00 % in 0 functions");
	await browser.key("Escape");
	assert.equal(await text("found"), "");
});

test("/ goes to the search, which marks the frames", async () => {
	const before = await colourAt(0.1, 2);

	await browser.key("/");
	await browser.type("^run$");
	assert.notDeepEqual(await colourAt(0.1, 2), before);
	assert.match(await address(), /^#search=/);
});

test("inverted: leaf functions first, callers below", async () => {
	await click("inverted");
	assert.match(await keys("ArrowDown"), /^compute: 350.00 ms/);
	assert.equal(await keys("ArrowDown"), "run: 350.00 ms (35.00 %) · prog · prog.c");
	await keys("ArrowUp", "ArrowRight");
	assert.equal(await keys("ArrowRight"), "malloc: 300.00 ms (30.00 %) · " +
		     "self 300.00 ms (30.00 %) · libc.so.6 · prog.c");
	assert.match(await keys("ArrowDown"), /^run: 200.00 ms/);
	assert.match(await keys("ArrowRight"), /^parse: 100.00 ms/);
	assert.equal(await search("malloc"), "30.00 % in 1 functions");
});

test("by thread, and inverted by thread", async () => {
	await choose("group", "thread");
	assert.equal(await keys("ArrowDown"), "thread: worker: 550.00 ms (55.00 %)");
	assert.match(await keys("ArrowRight"), /^thread: main: 450.00 ms/);
	assert.match(await keys("ArrowDown"), /^main: 400.00 ms/);
	assert.equal(await search("malloc"), "30.00 % in 1 functions");
	await click("inverted");
	assert.match(await keys("ArrowDown"), /^thread: worker: 550.00 ms/);
	assert.match(await keys("ArrowDown"), /^compute: 350.00 ms/);
	assert.match(await keys("ArrowDown", "ArrowDown", "ArrowDown"), /^main: 350.00 ms/);
	/* The group is no caller. */
	assert.match(await keys("ArrowDown"), /^main: 350.00 ms/);
});

test("another sample type", async () => {
	await choose("type", "0");
	assert.match(await text("facts"), /^Total: 100 samples/);
	assert.match(await keys("ArrowDown"), /^main: 95 samples \(95.00 %\)/);
	assert.equal(await address(), "#type=0");
});

test("the table has the functions, sorted by a column", async () => {
	const first = () => browser.run('document.querySelector("#rows tr").innerText');
	const heading = n => browser.run(`document.querySelectorAll("#table th button")[${n}].click()`);

	await browser.key("t");
	assert.equal(await first(), "350.00 ms\t35.00 %\t350.00 ms\t35.00 %\tcompute\tprog");
	await heading(1);
	assert.equal(await first(), "0 ns\t0.00 %\t950.00 ms\t95.00 %\tmain\tprog");
	await search("^run");
	assert.equal(await first(), "0 ns\t0.00 %\t550.00 ms\t55.00 %\trun\tprog");
});

test("truncated stacks are grey and hatched, and listed", async () => {
	const colours = [];

	for (let i = 0; i < 8; i++)
		colours.push(await colourAt(0.955 + i / 1000, 1));
	for (const [red, green, blue] of colours)
		assert.ok(red === green && green === blue, `${red} ${green} ${blue}`);
	assert.ok(new Set(colours.map(String)).size > 1, "no hatch");
	assert.match(await text("legend"), /truncated or lost/);
});

test("dark, when the system is", async () => {
	const light = await colourAt(0.1, 2);

	await browser.scheme("dark");
	await browser.run(`new Promise(pass =>
		requestAnimationFrame(() => requestAnimationFrame(pass)))`);
	const dark = await colourAt(0.1, 2), sum = colour => colour[0] + colour[1] + colour[2];

	await browser.scheme("light");
	assert.ok(sum(dark) < sum(light) - 150, `${light} ${dark}`);
});

test("a comparison shows signed changes", async () => {
	await browser.load(`file://${folder}/comparison.html`);
	assert.match(await text("facts"), /^Change: −50.00 ms \(−5.00 %\): 1.00 s → 950.00 ms/);
	await keys("ArrowDown");
	for (const [key, name] of [
		["ArrowDown", "same: 0 ns (0.00 %): 600.00 ms → 600.00 ms"],
		["ArrowRight", "grown: +200.00 ms (+20.00 %): 100.00 ms → 300.00 ms"],
		["ArrowRight", "shrunk: −150.00 ms (−15.00 %): 200.00 ms → 50.00 ms"],
		["ArrowRight", "gone: −100.00 ms (−10.00 %): 100.00 ms → 0 ns"],
	])
		assert.ok((await keys(key)).startsWith(name), name);
	const same = await colourAt(0.3, 2), more = await colourAt(0.7, 2);
	const less = await colourAt(0.9, 2);

	assert.ok(more[0] > more[2] && less[2] > less[0], `${more} ${less}`);
	assert.ok(same[0] === same[1] && same[1] === same[2], `${same}`);
	assert.equal(await browser.run('[...document.getElementById("group").options].length'), 2);
});

test("without a script it is a table", async () => {
	await browser.send("Emulation.setScriptExecutionDisabled", { value: true });
	await browser.load(page, "document.readyState === 'complete'");
	const seen = await browser.run("document.body.innerText");

	await browser.send("Emulation.setScriptExecutionDisabled", { value: false });
	assert.match(seen, /350\.00 ms\s+35\.00 %\s+350\.00 ms\s+35\.00 %\s+compute\s+prog/);
	assert.match(seen, /<img src=x onerror=alert\(1\)>/);
	assert.doesNotMatch(seen, /Inverted/);
});

test("the SVG is a picture with names", async () => {
	await browser.load(`file://${folder}/plain.svg`, "document.readyState === 'complete'");
	const titles = await browser.run(
		'[...document.querySelectorAll("title")].map(t => t.textContent)');

	assert.ok(titles.includes(`${EVIL}: 300.00 ms, 30.00 %`), titles.join("\n"));
	assert.ok(titles.includes("malloc: 200.00 ms, 20.00 %"));
	assert.equal(await browser.run('document.querySelectorAll("parsererror").length'), 0);
});

/* Each test begins with a new page. */
async function runTest(number, name, run) {
	let failure = "";

	try {
		await browser.load(page);
		await run();
		assert.deepEqual(browser.errors, []);
	} catch (error) {
		failure = error.stack;
		process.exitCode = 1;
	}
	console.log(`${failure ? "not " : ""}ok ${number} - ${name}`);
	if (failure)
		console.log(failure.replace(/^/gm, "# "));
}

async function main() {
	await browser.open(WIDTH, HEIGHT);
	console.log(`1..${tests.length}`);
	for (const [i, [name, run]] of tests.entries())
		await runTest(i + 1, name, run);
	await browser.close();
}

main().catch(error => {
	console.log(`Bail out! ${error.message}`);
	browser.child.kill();
	process.exitCode = 1;
});
