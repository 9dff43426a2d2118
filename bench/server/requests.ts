/** Rate and latency of `POST /exec`. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { root } from "../machine.ts"
import type { Job, MeasureCase, Values } from "../rows/Row.ts"
import { token, withServer } from "./withServer.ts"

const isRecord = (u: unknown): u is Readonly<Record<string, unknown>> => typeof u === "object" && u !== null

const numberIn = (u: unknown, ...path: ReadonlyArray<string>): number => {
  const found = path.reduce<unknown>(
    (at, key) => (isRecord(at) ? at[key] : undefined),
    u,
  )
  if (typeof found !== "number") {
    throw new Error(`autocannon says nothing of ${path.join(".")}`)
  }
  return found
}

/** Requests over so many connections for some seconds. */
const shoot = async (
  url: string,
  connections: number,
  seconds: number,
): Promise<unknown> => {
  const child = spawn(
    "node",
    [
      join(root, "node_modules", "autocannon", "autocannon.js"),
      "--json",
      ...["--connections", String(connections), "--duration", String(seconds)],
      ...[
        "--method",
        "POST",
        "--timeout",
        "60",
        "--body",
        JSON.stringify({ command: "/bin/true" }),
      ],
      ...[
        "--headers",
        "content-type=application/json",
        "--headers",
        `authorization=Bearer ${token}`,
      ],
      `${url}exec`,
    ],
    { stdio: ["ignore", "pipe", "ignore"] },
  )
  let text = ""
  child.stdout.on("data", (bytes) => (text += String(bytes)))
  await new Promise((resolve) => child.on("close", resolve))
  return JSON.parse(text)
}

const requests = (connections: number) => (id: string, { nothing, sizes }: Job): Promise<Values> =>
  withServer(
    [id === "raw" ? "floor" : "sluice", nothing.file],
    async ({ url }) => {
      await shoot(url, connections, Math.ceil((sizes.serverSeconds * 2) / 3))
      const result = await shoot(url, connections, sizes.serverSeconds)
      if (numberIn(result, "non2xx") > 0) {
        throw new Error(`${numberIn(result, "non2xx")} requests failed`)
      }
      if (numberIn(result, "2xx") === 0) {
        throw new Error("no request was answered in time")
      }
      return {
        // Its rate is by whole seconds; connections are never idle, so the mean latency tells more exactly.
        perSecond: (connections * 1000) /
          numberIn(result, "latency", "average"),
        p50: numberIn(result, "latency", "p50"),
        p99: numberIn(result, "latency", "p99"),
      }
    },
  )

/** Requests a second over 16 connections. */
export const post: MeasureCase = requests(16)

/** The same over 100, for its latency. */
export const postLatency: MeasureCase = requests(100)
