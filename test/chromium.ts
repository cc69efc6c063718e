import { type Browser, type BrowserServer, chromium } from "playwright-core"
import { chromiumPath } from "./machine.ts"

const FLAGS =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"

const OPTIONS = () => ({ executablePath: chromiumPath(), args: FLAGS.split(" ") })

/** A Chromium that all suites of a run share; `npm test` starts it. */
export function startChromium(): Promise<BrowserServer> {
  return chromium.launchServer(OPTIONS())
}

/** A connection to the one that is running, or a Chromium of the caller's own. */
export function connectChromium(): Promise<Browser> {
  const shared = process.env["COMPOSITOR_TEST_CHROMIUM"]
  return shared === undefined ? chromium.launch(OPTIONS()) : chromium.connect(shared)
}
