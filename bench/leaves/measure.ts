/** One measurement in a process of its own: `measure.ts ROW THROUGH quick|whole` prints values as a line of JSON. */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { LocalShell, Shell, ShellExec } from "../../mod.ts"
import { shellRoutes } from "../../src/http/mod.ts"
import { ContainerShell } from "../../src/leaves/container/mod.ts"
import { Files } from "../../src/leaves/files/mod.ts"
import { IsolatedShell } from "../../src/leaves/isolated/mod.ts"
import { RemoteShell } from "../../src/leaves/remote/mod.ts"
import { SftpFileSystem, SshShell } from "../../src/leaves/ssh/mod.ts"
import { KernelShell } from "../../src/sandbox/mod.ts"
import { serve } from "../../tests/http/serve.ts"
import { strictS3 } from "../../tests/leaves/s3/support.ts"
import { engineOptions, makeRootfs, podman } from "../../tests/support/rootfs.ts"
import { startSshd } from "../../tests/support/sshd.ts"
import { timed, type Values } from "../rows/Row.ts"

const [, , row = "", through = "", size = ""] = process.argv
const quick = size === "quick"

/** Undoes what was started, the last first. */
const cleanups: Array<() => unknown> = []

/** Runs commands to their end, and counts what they print. */
type Run = (command: string, args: ReadonlyArray<string>) => Promise<number>

/** A program of the command line: its words stand before those of the command. */
const byProgram = (words: ReadonlyArray<string>): Run => (command, args) =>
  new Promise((resolve, reject) => {
    const [program = "", ...rest] = [...words, command, ...args]
    const child = spawn(program, rest, { stdio: ["ignore", "pipe", "pipe"] })
    let [bytes, errors] = [0, ""]
    child.stdout.on("data", (part: Uint8Array) => void (bytes += part.length))
    child.stderr.on(
      "data",
      (part: Uint8Array) => void (errors += String(part)),
    )
    child.on("error", reject)
    child.on(
      "close",
      (code) => code === 0 ? resolve(bytes) : reject(new Error(`${program} exited ${code}: ${errors}`)),
    )
  })

const byLeaf = <E>(layer: Layer.Layer<Shell, E>): Run => {
  const runtime = ManagedRuntime.make(layer)
  cleanups.push(() => runtime.dispose())
  return (command, args) =>
    runtime.runPromise(
      Stream.runFold(Shell.bytes(ShellExec.make(command, [...args])), () => 0, (sum, event) => {
        if (event._tag === "ShellBytes") {
          return sum + event.bytes.length
        }
        if (event.exitCode !== 0) {
          throw new Error(`${command} exited ${event.exitCode}`)
        }
        return sum
      }),
    )
}

const rootfs = () => {
  const made = makeRootfs()
  cleanups.push(made.remove)
  return made.path
}

const sshd = async () => {
  const server = await startSshd()
  cleanups.push(server.close)
  return server
}

/** Options of OpenSSH's programs for a server, with one connection that is open. */
const openConnection = async (): Promise<
  { readonly folder: string; readonly words: ReadonlyArray<string> }
> => {
  const { folder, port, user } = await sshd()
  const control = join(folder, "control")
  const words = [
    ...[
      "-o",
      `ControlPath=${control}`,
      "-o",
      "StrictHostKeyChecking=no",
      "-o",
      `UserKnownHostsFile=${folder}/known`,
    ],
    ...[
      "-o",
      "LogLevel=ERROR",
      "-i",
      join(folder, "client"),
      "-o",
      `Port=${port}`,
      "-o",
      `User=${user}`,
    ],
  ]
  await byProgram([
    "ssh",
    ...words,
    "-o",
    "ControlMaster=yes",
    "-o",
    "ControlPersist=60",
    "127.0.0.1",
  ])("true", [])
  cleanups.push(() => byProgram(["ssh", ...words, "-O", "exit"])("127.0.0.1", []))
  return { folder, words }
}

const containerOptions = () => ({ ...engineOptions, rootfs: rootfs() })

const runs: Readonly<Record<string, () => Run | Promise<Run>>> = {
  "child_process": () => byProgram([]),
  "LocalShell": () => byLeaf(LocalShell.layer),
  "bwrap": () =>
    byProgram([
      ...[
        "bwrap",
        "--unshare-user",
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-net",
        "--die-with-parent",
      ],
      ...[
        "--ro-bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
        "--tmpfs",
        "/tmp",
      ],
    ]),
  "IsolatedShell": () => byLeaf(IsolatedShell.layer),
  "ssh -S": async () => byProgram(["ssh", ...(await openConnection()).words, "127.0.0.1"]),
  "SshShell": async () => byLeaf(SshShell.layer((await sshd()).options())),
  "podman run": () =>
    byProgram([
      ...[
        "podman",
        ...engineOptions.engineArguments,
        "run",
        "--rm",
        "--network=none",
        ...engineOptions.runArguments,
      ],
      ...["--rootfs", rootfs()],
    ]),
  // Nothing waits: each command starts a container.
  "ContainerShell": () => byLeaf(ContainerShell.layer({ ...containerOptions(), warm: 0 })),
  "podman exec": () => {
    const name = `sluice-bench-${crypto.randomUUID()}`
    const made = [
      "run",
      "--detach",
      "--name",
      name,
      "--network=none",
      ...engineOptions.runArguments,
      "--rootfs",
      rootfs(),
    ]
    podman(...made, "sleep", "3600")
    cleanups.push(() => podman("rm", "--force", "--time=0", name))
    return byProgram([
      "podman",
      ...engineOptions.engineArguments,
      "exec",
      name,
    ])
  },
  "ContainerShell, reuse": () => byLeaf(ContainerShell.layer({ ...containerOptions(), reuse: true })),
  "RemoteShell": async () => {
    const routes = shellRoutes({ layer: LocalShell.layer, token: "t0ken" })
    const server = await serve(routes.fetch)
    cleanups.push(() => routes.dispose(), () => server.stop())
    return byLeaf(
      RemoteShell.layer({
        url: `http://127.0.0.1:${server.port}/`,
        token: "t0ken",
      }),
    )
  },
  "KernelShell": () => byLeaf(KernelShell.layer),
}

/** Milliseconds of the fastest of some rounds, and how many were done in one. */
const command = async (run: Run): Promise<Values> => {
  await run("true", [])
  const first = await timed(() => run("true", []))
  const seconds = quick ? 1 : 5
  const count = Math.max(
    3,
    Math.min(1_000, Math.round(seconds * 1_000 / Math.max(first, 0.5))),
  )
  const millis = await timed(async () => {
    for (let index = 0; index < count; index++) await run("true", [])
  })
  return { millis: millis / count }
}

const mebibyte = 1024 * 1024

const bytes = async (run: Run): Promise<Values> => {
  const total = (quick ? 32 : 256) * mebibyte
  await run("head", ["-c", String(mebibyte), "/dev/zero"])
  const millis = await timed(async () => {
    const read = await run("head", ["-c", String(total), "/dev/zero"])
    if (read !== total) throw new Error(`${read} bytes came, not ${total}`)
  })
  return { megabytes: total / 1e3 / millis }
}

const fileBytes = 64 * mebibyte

/** Reads and writes one large file. */
interface LargeFile {
  readonly read: () => Promise<unknown>
  readonly write: () => Promise<unknown>
}

const byFiles = <E>(layer: Layer.Layer<Files, E>): LargeFile => {
  const runtime = ManagedRuntime.make(layer)
  cleanups.push(() => runtime.dispose())
  const piece = new Uint8Array(mebibyte).fill(7)
  return {
    read: () =>
      runtime.runPromise(Effect.map(
        Stream.runFold(Files.stream("large"), () => 0, (sum, part) => sum + part.length),
        (length) => {
          if (length !== fileBytes) {
            throw new Error(`${length} bytes came`)
          }
        },
      )),
    write: () =>
      runtime.runPromise(
        Files.write("written", Stream.map(Stream.range(1, 64), () => piece)),
      ),
  }
}

const files: Readonly<Record<string, () => Promise<LargeFile>>> = {
  "sftp -b": async () => {
    const { folder, words } = await openConnection()
    const [large, local, there] = ["large", "local", "there"].map((name) => join(folder, name))
    writeFileSync(large ?? "", new Uint8Array(fileBytes).fill(7))
    const batch = (line: string) => {
      writeFileSync(join(folder, "batch"), `${line}\n`)
      return byProgram(["sftp", "-q", "-b", join(folder, "batch"), ...words])(
        "127.0.0.1",
        [],
      )
    }
    return {
      read: () => batch(`get ${large} ${local}`),
      write: () => batch(`put ${large} ${there}`),
    }
  },
  "SftpFileSystem": async () => {
    const server = await sshd()
    const rootPath = mkdtempSync(join(server.folder, "files-"))
    cleanups.push(() => rmSync(rootPath, { recursive: true, force: true }))
    writeFileSync(join(rootPath, "large"), new Uint8Array(fileBytes).fill(7))
    // sftp(1) does not wait for the disk.
    return byFiles(
      SftpFileSystem.layer({ ...server.options(), rootPath, flush: false }),
    )
  },
  "fetch": () => {
    const content = new Uint8Array(fileBytes).fill(7)
    const answer = (request: Request) =>
      request.method === "GET"
        ? Promise.resolve(new Response(content.slice()))
        : request.arrayBuffer().then(() => new Response())
    return Promise.resolve({
      read: async () => {
        const { body } = await answer(new Request("https://s3.test/large"))
        for await (const _ of body ?? []) { /* drained */ }
      },
      write: () =>
        answer(
          new Request("https://s3.test/written", {
            method: "PUT",
            body: content,
          }),
        ),
    })
  },
  "S3FileSystem": () => {
    const { layer, service } = strictS3()
    service.store("large", new Uint8Array(fileBytes).fill(7))
    return Promise.resolve(byFiles(layer))
  },
}

const transfer = async (file: LargeFile): Promise<Values> => {
  const once = row === "read" ? file.read : file.write
  await once()
  const rounds = quick ? 1 : 4
  const millis = await timed(async () => {
    for (let round = 0; round < rounds; round++) await once()
  })
  return { megabytes: rounds * fileBytes / 1e3 / millis }
}

const measure = async (): Promise<Values> => {
  if (row === "read" || row === "write") {
    const open = files[through]
    if (open === undefined) throw new Error(`no files: ${through}`)
    return await transfer(await open())
  }
  const make = runs[through]
  if (make === undefined) throw new Error(`no leaf: ${through}`)
  const run = await make()
  return await (row === "command" ? command(run) : bytes(run))
}

try {
  writeSync(1, `${JSON.stringify(await measure())}\n`)
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup()
}
process.exit(0)
