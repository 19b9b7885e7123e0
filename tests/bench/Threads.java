// SPDX-License-Identifier: GPL-2.0
/** Creates threads, one after the other: {@code Threads COUNT}. */
class Threads {
	public static void main(String[] args) throws InterruptedException {
		for (int i = Integer.parseInt(args[0]); i > 0; i--) {
			Thread thread = new Thread();
			thread.start();
			thread.join();
		}
	}
}
