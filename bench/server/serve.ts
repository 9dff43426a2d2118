/**
 * A server in a process of its own: `serve.ts floor|sluice PROGRAM` says its port as a line, and serves until stdin ends.
 *
 * The floor is what a runtime has: its own server, and its own way to start a process. It answers with the result of one
 * fixed program, or to a request that names an amount with the bytes that the writer writes, as they come.
 */
import process from "node:process"
import { shellRoutes } from "../../src/http/Http.ts"
import { layerWith } from "../../src/leaves/local/LocalShell.ts"
import { serve } from "../../tests/http/serve.ts"
import { token } from "./token.ts"

const [kind = "", program = ""] = process.argv.slice(2)

const run = async (): Promise<object> => {
  if (typeof Bun !== "undefined") {
    const child = Bun.spawn([program], { stdin: "ignore", stdout: "pipe", stderr: "pipe" })
    const [exitCode, stdout, stderr] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    return { exitCode, stdout, stderr }
  }
  if (typeof Deno !== "undefined") {
    const { code, stderr, stdout } = await new Deno.Command(program, { stdin: "null" }).output()
    const decoder = new TextDecoder()
    return { exitCode: code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) }
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
  if (typeof Bun !== "undefined") return Bun.spawn([program, bytes], { stdin: "ignore", stdout: "pipe" }).stdout
  if (typeof Deno !== "undefined") {
    return new Deno.Command(program, { args: [bytes], stdin: "null", stdout: "piped" }).spawn().stdout
  }
  const { spawn } = await import("node:child_process")
  const { stdout } = spawn(program, [bytes], { stdio: ["ignore", "pipe", "ignore"] })
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

const routes = shellRoutes({ layer: layerWith({ concurrencyLimit: 64, queueLimit: 10_000 }), token })
const server = await serve(kind === "floor" ? floor : (request, env) => routes.fetch(request, env))
process.stdout.write(`${server.port}\n`)
process.stdin.resume()
process.stdin.on("end", () => process.exit(0))
