/**
 * A server in a process of its own: `serve.ts floor|sluice PROGRAM [JOURNAL]` writes its port as a line, and serves until
 * stdin ends. JOURNAL is the path of a SQLite journal; default: one in memory.
 *
 * The floor is the runtime's own server and its own way to start a process, and loads nothing else. It answers with the
 * result of one fixed program, or to a request that names an amount with the bytes that the writer writes, as they come.
 */
import process from "node:process"
import { serve } from "../../tests/http/serve.ts"
import { token } from "./withServer.ts"

const [kind = "", program = "", journal] = process.argv.slice(2)

const run = async (): Promise<object> => {
  if (typeof Bun !== "undefined") {
    const child = Bun.spawn([program], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    })
    const [exitCode, stdout, stderr] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    return { exitCode, stdout, stderr }
  }
  if (typeof Deno !== "undefined") {
    const { code, stderr, stdout } = await new Deno.Command(program, {
      stdin: "null",
    }).output()
    const decoder = new TextDecoder()
    return {
      exitCode: code,
      stdout: decoder.decode(stdout),
      stderr: decoder.decode(stderr),
    }
  }
  const { execFile } = await import("node:child_process")
  return await new Promise((resolve, reject) => {
    execFile(
      program,
      (error, stdout, stderr) => error === null ? resolve({ exitCode: 0, stdout, stderr }) : reject(error),
    )
  })
}

const output = async (bytes: string): Promise<ReadableStream> => {
  if (typeof Bun !== "undefined") {
    return Bun.spawn([program, bytes], { stdin: "ignore", stdout: "pipe" })
      .stdout
  }
  if (typeof Deno !== "undefined") {
    return new Deno.Command(program, {
      args: [bytes],
      stdin: "null",
      stdout: "piped",
    }).spawn().stdout
  }
  const { spawn } = await import("node:child_process")
  const { stdout } = spawn(program, [bytes], {
    stdio: ["ignore", "pipe", "ignore"],
  })
  const pieces: AsyncIterator<Uint8Array> = stdout[Symbol.asyncIterator]()
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await pieces.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
  })
}

const floor = async (request: Request): Promise<Response> => {
  const amount = new URL(request.url).searchParams.get("bytes")
  if (amount !== null) return new Response(await output(amount))
  await request.json()
  return Response.json(await run())
}

/** Sluice's routes. */
const routes = async (): Promise<
  (request: Request) => Response | Promise<Response>
> => {
  const { shellRoutes } = await import("../../src/http/mod.ts")
  const { LocalShell } = await import("../../src/leaves/local/LocalShell.ts")
  const stored = journal === undefined ? undefined : {
    journal: (await import("../../src/journal/sqlite.ts")).SqliteJournal.layer({
      path: journal,
    }),
  }
  const app = shellRoutes({
    layer: LocalShell.layerWith({ maxConcurrency: 64, maxQueued: 10_000 }),
    token,
    ...stored,
  })
  return (request) => app.fetch(request)
}

const server = await serve(kind === "floor" ? floor : await routes())
process.stdout.write(`${server.port}\n`)
process.stdin.resume()
process.stdin.on("end", () => process.exit(0))
