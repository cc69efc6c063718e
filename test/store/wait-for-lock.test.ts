import { once } from "node:events"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { describe, expect, it, onTestFinished } from "vitest"
import { openForWriting } from "../../packages/engine/store/sqlite/connection.ts"
import { waitForLock } from "../../packages/engine/store/sqlite/committer.ts"
import { temporaryFolder } from "../build.ts"

// Another writer, which holds the lock for a while.
const HOLDER = `
  const { parentPort, workerData } = require("node:worker_threads")
  const Database = require(workerData.driver)
  const database = new Database(workerData.file)
  database.exec("BEGIN IMMEDIATE; CREATE TABLE held (at INTEGER)")
  parentPort.postMessage("held")
  setTimeout(() => { database.exec("COMMIT"); database.close() }, 80)
`

describe("the lock for writing", () => {
  it("[PER-015] is waited for while another process writes, and its work is seen then", async () => {
    const file = join(await temporaryFolder(), "compositor.db")
    const connection = openForWriting(file)
    onTestFinished(() => void connection.close())
    const driver = import.meta.resolve("better-sqlite3").replace("file://", "")
    const holder = new Worker(HOLDER, { eval: true, workerData: { file, driver } })
    await once(holder, "message")
    connection.pragma("busy_timeout = 0")
    waitForLock(() => connection.exec("BEGIN IMMEDIATE"))
    expect(connection.prepare("SELECT count(*) AS count FROM held").get()).toEqual({ count: 0 })
    connection.exec("ROLLBACK")
  })

  it("tells of any other failure at once", async () => {
    const connection = openForWriting(join(await temporaryFolder(), "compositor.db"))
    onTestFinished(() => void connection.close())
    const failing = () => connection.exec("BEGIN SOMEHOW")
    expect(() => waitForLock(failing)).toThrow(/syntax error/)
  })
})
