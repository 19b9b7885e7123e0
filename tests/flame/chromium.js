// SPDX-License-Identifier: GPL-2.0
"use strict";
/* A Chromium without a window, driven by the DevTools protocol over a pipe. */

const { spawn } = require("child_process");

class Chromium {
	constructor(folder) {
		this.id = 0;
		this.waiting = new Map();
		this.requests = [];	/* the addresses of all loads */
		this.errors = [];	/* exceptions of the page */
		this.child = spawn("chromium", [
			"--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
			`--user-data-dir=${folder}/profile`, "about:blank",
		], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
		this.child.on("exit", () => this.waiting.forEach(([, fail]) =>
			fail(new Error("Chromium ended"))));
		this.readMessages(this.child.stdio[4]);
	}

	/* A message is JSON, and a NUL ends it. */
	readMessages(stream) {
		let rest = "";

		stream.setEncoding("utf8");
		stream.on("data", text => {
			const messages = (rest + text).split("\0");

			rest = messages.pop();
			messages.forEach(message => this.onMessage(JSON.parse(message)));
		});
	}

	onMessage({ id, method, params, result, error }) {
		if (method === "Runtime.exceptionThrown")
			this.errors.push(params.exceptionDetails.exception?.description || "?");
		/* A dialog blocks the page. */
		if (method === "Page.javascriptDialogOpening") {
			this.errors.push(`dialog: ${params.message}`);
			this.send("Page.handleJavaScriptDialog", { accept: true });
		}
		if (method === "Network.requestWillBeSent")
			this.requests.push(params.request.url);
		if (!this.waiting.has(id))
			return;
		const [pass, fail] = this.waiting.get(id);

		this.waiting.delete(id);
		if (error)
			fail(new Error(error.message));
		else
			pass(result);
	}

	send(method, params = {}) {
		const id = ++this.id;

		this.child.stdio[3].write(`${JSON.stringify({ id, method, params,
							      sessionId: this.session })}\0`);
		return new Promise((pass, fail) => this.waiting.set(id, [pass, fail]));
	}

	/* Opens a tab of a size. */
	async open(width, height) {
		const tab = await this.send("Target.createTarget", { url: "about:blank" });
		const { sessionId } = await this.send("Target.attachToTarget",
						      { targetId: tab.targetId, flatten: true });

		this.session = sessionId;
		for (const domain of ["Page", "Runtime", "Network"])
			await this.send(`${domain}.enable`);
		await this.send("Emulation.setDeviceMetricsOverride",
				{ width, height, deviceScaleFactor: 1, mobile: false });
	}

	async run(expression) {
		const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
			expression, awaitPromise: true, returnByValue: true,
		});

		if (exceptionDetails)
			throw new Error(exceptionDetails.exception?.description ||
					exceptionDetails.text);
		return result.value;
	}

	/*
	 * Loads a page that sets data-ready on its root element when it is complete. A page without
	 * scripts runs no timers, so the question is asked from here.
	 */
	async load(url, isReady = "document.documentElement?.dataset.ready") {
		await this.send("Page.navigate", { url: "about:blank" });
		this.requests.length = this.errors.length = 0;
		await this.send("Page.navigate", { url });
		while (!await this.run(isReady))
			await new Promise(pass => setTimeout(pass, 10));
	}

	async click(x, y) {
		for (const type of ["mouseMoved", "mousePressed", "mouseReleased"])
			await this.send("Input.dispatchMouseEvent", {
				type, x, y, clickCount: 1,
				button: type === "mouseMoved" ? "none" : "left",
			});
	}

	async key(...keys) {
		for (const key of keys) {
			await this.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key });
			await this.send("Input.dispatchKeyEvent", { type: "keyUp", key });
		}
	}

	async type(text) {
		await this.send("Input.insertText", { text });
	}

	async scheme(value) {
		await this.send("Emulation.setEmulatedMedia", {
			features: [{ name: "prefers-color-scheme", value }],
		});
	}

	async picture(path) {
		const { data } = await this.send("Page.captureScreenshot");

		require("fs").writeFileSync(path, Buffer.from(data, "base64"));
	}

	/* Ends all of its processes: they write into its folder until then. */
	async close() {
		const ended = new Promise(pass => this.child.on("close", pass));

		this.session = undefined;
		this.send("Browser.close").catch(() => {});
		await ended;
	}
}

module.exports = { Chromium };
