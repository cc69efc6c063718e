// Makes the bucket that COMPOSITOR_BLOBS names, where it is not there yet, and waits for a service that
// still starts. Run in the folder of the program, whose packages it uses.

import { setTimeout as pause } from "node:timers/promises"
import { AwsClient } from "aws4fetch"

const TRIES = 60

const { COMPOSITOR_BLOBS = "", AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env
const { hostname: bucket, searchParams: options } = new URL(COMPOSITOR_BLOBS)
const client = new AwsClient({
  accessKeyId: AWS_ACCESS_KEY_ID ?? "",
  secretAccessKey: AWS_SECRET_ACCESS_KEY ?? "",
  service: "s3",
  region: options.get("region") ?? "us-east-1",
  retries: 0,
})

for (let tries = 1; ; tries++) {
  const said = await ask().catch((error) => `${error.cause?.code ?? error}`)
  if (said === "made" || said === "is there") {
    console.log(`${bucket}: ${said}`)
    break
  }
  if (tries === TRIES) throw new Error(`${bucket}: ${said}`)
  await pause(1000)
}

async function ask() {
  const response = await client.fetch(`${options.get("endpoint")}/${bucket}`, { method: "PUT" })
  if (response.ok) return "made"
  return response.status === 409 ? "is there" : `${response.status} ${await response.text()}`
}
