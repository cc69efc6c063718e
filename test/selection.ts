// Which tests a run takes, and in what order. With CI=true, or where the files are named, it is all of
// them. Otherwise files that repeat one rule over a large corpus, over a second engine or by hand of a
// browser are drawn by lot: the seed changes with every run, and is printed.

/** Files that take long: the seconds of a quiet machine with two cores, so that those begin first and no
 *  worker waits for one of them at the end; and the share of their tests that is drawn. */
export const LONG_FILES: Readonly<Record<string, LongFile>> = {
  "test/store/sqlite.test.ts": { seconds: 90, share: 0.1 },
  "test/files/archive/hostile.test.ts": { seconds: 90 },
  "test/stream/conformance.test.ts": { seconds: 80, share: 0.1 },
  "test/stream/postgres.test.ts": { seconds: 70, share: 0.06 },
  "test/attacks/page/window.test.ts": { seconds: 60, share: 0.25 },
  "test/web/browser.test.ts": { seconds: 57, share: 0.15 },
  "test/store/postgres.test.ts": { seconds: 56, share: 0.1 },
  "test/web/thread.test.ts": { seconds: 55, share: 0.15 },
  "test/session/postgres.test.ts": { seconds: 51, share: 0.15 },
  "test/web/composer.test.ts": { seconds: 47, share: 0.15 },
  "test/attacks/operators.test.ts": { seconds: 40, share: 0.3 },
  "test/tui/tui.test.ts": { seconds: 36, share: 0.25 },
  "test/files/convert/hostile.test.ts": { seconds: 30, share: 0.15 },
  "test/attacks/page/focus.test.ts": { seconds: 28, share: 0.25 },
  "test/server/routes.test.ts": { seconds: 26, share: 0.25 },
  "test/attacks/hostile-bytes.test.ts": { seconds: 25, share: 0.4 },
  "test/attacks/page/breaking.test.ts": { seconds: 25, share: 0.3 },
  "test/attacks/bodies.test.ts": { seconds: 25, share: 0.34 },
  "test/conformance/own.test.ts": { seconds: 24, share: 0.34 },
  "test/web/panes.test.ts": { seconds: 24, share: 0.25 },
  "test/web/recovery.test.ts": { seconds: 23, share: 0.3 },
  "test/attacks/ingress.test.ts": { seconds: 22, share: 0.25 },
  "test/attacks/sandbox.test.ts": { seconds: 20, share: 0.5 },
  "test/conformance/broken.test.ts": { seconds: 20, share: 0.2 },
  "test/cli/principals.test.ts": { seconds: 20, share: 0.4 },
  "test/server/nasty.test.ts": { seconds: 20, share: 0.25 },
  "test/acp/proxy.test.ts": { seconds: 19, share: 0.35 },
  "test/files/s3-blobs.test.ts": { seconds: 19, share: 0.15 },
  "test/host/triggers.test.ts": { seconds: 18, share: 0.3 },
  "test/files/archive/archive.test.ts": { seconds: 17, share: 0.3 },
  "test/submit/leak.test.ts": { seconds: 17 },
  "test/policy/secrets.test.ts": { seconds: 16, share: 0.25 },
  "test/attacks/page/edit.test.ts": { seconds: 16, share: 0.35 },
  "test/host/commands.test.ts": { seconds: 16, share: 0.4 },
  "test/cli/models.test.ts": { seconds: 16, share: 0.6 },
  "test/host/mcp.test.ts": { seconds: 15, share: 0.35 },
  "test/commands/surfaces.test.ts": { seconds: 15 },
  "test/cli/send.test.ts": { seconds: 15, share: 0.3 },
  "test/sdk/sdk.test.ts": { seconds: 14, share: 0.5 },
  "test/sdk/browser.test.ts": { seconds: 13, share: 0.5 },
  "test/attacks/webhooks.test.ts": { seconds: 13, share: 0.4 },
  "test/attacks/edit.test.ts": { seconds: 13, share: 0.3 },
  "test/session/regressions.test.ts": { seconds: 13, share: 0.4 },
  "test/acp/seed.test.ts": { seconds: 12, share: 0.6 },
  "test/attacks/page/tabs.test.ts": { seconds: 12, share: 0.34 },
  "test/attacks/acp.test.ts": { seconds: 12, share: 0.35 },
  "test/server/principals.test.ts": { seconds: 12, share: 0.25 },
  "test/attacks/instructions.test.ts": { seconds: 11, share: 0.4 },
  "test/attacks/terminal.test.ts": { seconds: 11, share: 0.3 },
  "test/attacks/documents.test.ts": { seconds: 11, share: 0.6 },
  "test/attacks/archives.test.ts": { seconds: 11, share: 0.4 },
  "test/files/convert/documents.test.ts": { seconds: 10, share: 0.3 },
  "test/server/metrics.test.ts": { seconds: 10, share: 0.3 },
  "test/files/convert/pictures.test.ts": { seconds: 10, share: 0.4 },
  "test/store/postgres-loss.test.ts": { seconds: 10, share: 0.4 },
  "test/files/s3-server.test.ts": { seconds: 10, share: 0.5 },
  "test/files/archive/extract-command.test.ts": { seconds: 9, share: 0.3 },
  "test/web/gaps.test.ts": { seconds: 9, share: 0.5 },
  "test/compose/edit.test.ts": { seconds: 9, share: 0.4 },
  "test/stream/rows.test.ts": { seconds: 9, share: 0.3 },
  "test/lower/golden.test.ts": { seconds: 8, share: 0.5 },
  "test/server/principals-manners.test.ts": { seconds: 8, share: 0.5 },
  "test/attacks/private-folder.test.ts": { seconds: 8, share: 0.5 },
  "test/store/postgres-rules.test.ts": { seconds: 8, share: 0.4 },
  "test/acp/servers.test.ts": { seconds: 8, share: 0.3 },
  "test/attacks/page/trust.test.ts": { seconds: 7, share: 0.5 },
  "test/tui/drafts.test.ts": { seconds: 7, share: 0.4 },
  "test/tool/others.test.ts": { seconds: 7, share: 0.5 },
  "test/server/serve.test.ts": { seconds: 7, share: 0.35 },
  "test/host/agents.test.ts": { seconds: 7, share: 0.4 },
  "test/tool/files.test.ts": { seconds: 6, share: 0.35 },
  "test/attacks/page/branches.test.ts": { seconds: 6, share: 0.5 },
  "test/format-matrix.test.ts": { seconds: 6, share: 0.6 },
  "test/acp/agent.test.ts": { seconds: 6, share: 0.4 },
  "test/finder/finder.test.ts": { seconds: 5, share: 0.5 },
  "test/attacks/markers.test.ts": { seconds: 5, share: 0.5 },
  "test/host/memory.test.ts": { seconds: 5, share: 0.5 },
  "test/submit/secrets.test.ts": { seconds: 5, share: 0.5 },
  "test/cli/send-ide.test.ts": { seconds: 5, share: 0.4 },
  "test/session/switch.test.ts": { seconds: 5, share: 0.5 },
  "test/trigger/store.test.ts": { seconds: 5, share: 0.5 },
  "test/files/fetch/fetch.test.ts": { seconds: 5, share: 0.5 },
}

interface LongFile {
  readonly seconds: number
  /** All of them, where it is not said. */
  readonly share?: number
}

/** Folders whose files each start servers, programs or browsers: this share of the files is drawn. */
const DRAWN_FOLDERS: Readonly<Record<string, number>> = {
  "test/attacks/": 0.5,
  "test/acp/": 0.6,
  "test/cli/": 0.6,
  "test/files/": 0.6,
  "test/host/": 0.6,
  "test/sdk/": 0.5,
  "test/server/": 0.6,
  "test/store/": 0.7,
  "test/tool/": 0.6,
  "test/tui/": 0.6,
  "test/web/": 0.6,
}

/** Is this file drawn? */
export function isFileDrawn(file: string): boolean {
  const found = Object.entries(DRAWN_FOLDERS).find(([folder]) => file.startsWith(folder))
  return found === undefined || isDrawnOf("files", file, found[1])
}

/** Is this test drawn? The same seed draws the same tests. */
export function isDrawn(seed: string, file: string, title: string): boolean {
  const share = LONG_FILES[file]?.share ?? 1
  return share === 1 || fraction(`${seed} ${file} ${title}`) < share
}

/** Is this piece of a corpus drawn? All are where everything is run. */
export function isDrawnOf(corpus: string, piece: string, share: number): boolean {
  const seed = process.env["COMPOSITOR_TEST_DRAW"]
  return seed === undefined || fraction(`${seed} ${corpus} ${piece}`) < share
}

/** FNV-1a with a last stir, as a number from 0 to below 1. */
function fraction(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32
}
