/** Starts npm `s3rver`, an S3 server that is not ours, on a free port, with its objects in a temporary folder. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll } from "vitest"
import { findRuntime } from "../../../scripts/runtimes.mjs"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** A server of the suite; `address` is there in tests. */
export const useS3rver = (): { readonly address: () => string } => {
  let address = ""
  let stop = () => Promise.resolve()

  beforeAll(async () => {
    const directory = await mkdtemp(join(tmpdir(), "sluice-s3-"))
    const program = findRuntime("node", root)
    if (program === undefined) throw new Error("node is not here: npm install")
    const server = spawn(program, [
      // The tokens of its listings are encrypted with Blowfish.
      "--openssl-legacy-provider",
      ...["--require", fileURLToPath(new URL("s3rverWrites.cjs", import.meta.url))],
      join(root, "node_modules/s3rver/bin/s3rver.js"),
      ...[
        "--address",
        "127.0.0.1",
        "--port",
        "0",
        "--silent",
        "--directory",
        directory,
        "--configure-bucket",
        "bucket",
      ],
    ], { stdio: ["ignore", "pipe", "inherit"] })
    const ended = once(server, "exit")
    stop = async () => {
      server.kill()
      await ended
      await rm(directory, { recursive: true, force: true })
    }
    let said = ""
    for await (const bytes of server.stdout) {
      said += String(bytes)
      const port = /:(\d+)\b/.exec(said)?.[1]
      if (port === undefined) continue
      address = `http://127.0.0.1:${port}`
      return
    }
    throw new Error(`s3rver did not start: ${said}`)
  })

  afterAll(() => stop())
  return { address: () => address }
}
