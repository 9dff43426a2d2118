/** Scripts in the portable shell on the other leaves: run, handed on, matched or refused; never run in another shell. */
import { expect, it } from "@effect/vitest"
import { DryRunShell, LocalShell, Shell, ShellExec } from "@sluice/shell"
import { AccessPolicy } from "@sluice/shell/access"
import { shellRoutes } from "@sluice/shell/http"
import { IsolatedShell } from "@sluice/shell/isolated"
import { makeProcessRuns, resolveLeafSettings } from "@sluice/shell/leaf"
import { JournaledShell, MemoryJournal } from "@sluice/shell/journal"
import { RemoteShell } from "@sluice/shell/remote"
import { KernelShell } from "@sluice/shell/sandbox"
import { MockRun, MockShell, ReplayShell } from "@sluice/shell/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { isolationWorks } from "../support/isolation.ts"
import { workshop } from "../support/workshop.ts"

const script = (text: string) => ShellExec.shell(text, { shell: "portable", timeout: "20 seconds" })
const both = script('echo $0; echo a | tr a b; [ -n "$PATH" ] && echo path')
const ours = "bash\nb\npath\n"

const answer = (exec: ShellExec) =>
  Shell.run(exec).pipe(
    Effect.map(({ exitCode, stderr, stdout }) => `${stdout}${stderr}${exitCode}`),
    Effect.catchTag("ShellFault", ({ message, reason }) => Effect.succeed(`${reason._tag}: ${message}`)),
  )

it.live("runs behind a journal, a policy that allows all, and a server", () =>
  Effect.gen(function* () {
    const all = AccessPolicy.guard(AccessPolicy.make({ allowedCommands: ["*"] }))(LocalShell.layer)
    expect(yield* Effect.provide(answer(both), all)).toBe(`${ours}0`)
    const journaled = JournaledShell.layer.pipe(Layer.provide(LocalShell.layer), Layer.provide(MemoryJournal.layer))
    expect(yield* Effect.provide(answer(both), journaled)).toBe(`${ours}0`)
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => shellRoutes({ layer: LocalShell.layer, token: "s3cret" })),
      (each) => Effect.promise(() => each[Symbol.asyncDispose]()),
    )
    const remote = RemoteShell.layer({
      url: "http://localhost/",
      token: "s3cret",
      fetch: async (request) => await server.fetch(request),
    })
    expect(yield* Effect.provide(answer(both), remote)).toBe(`${ours}0`)
  }))

it.live("runs in the kernel's shell of a sandbox, with arguments", () =>
  Effect.gen(function* () {
    const leaf = KernelShell.layerWith({ defaultShell: "/no/such/shell" })
    expect(yield* Effect.provide(answer(script("echo a | tr a b")), leaf)).toBe("b\n0")
    const words = ShellExec.make('echo "$1"', ["a  b"], { useShell: true, shell: "portable" })
    expect(yield* Effect.provide(answer(words), leaf)).toBe("a  b\n0")
  }))

it.live("differs from a script of the system's shell for a mock and a replay", () =>
  Effect.gen(function* () {
    const mock = MockShell.layer([
      MockShell.on(script("ls"), MockRun.stdout("portable")),
      MockShell.on(ShellExec.shell("ls"), MockRun.stdout("system")),
    ])
    const asked = Effect.all([answer(script("ls")), answer(ShellExec.shell("ls"))])
    expect(yield* Effect.provide(asked, mock)).toEqual(["portable0", "system0"])
    expect(ReplayShell.defaultKey).toContain("shell")
  }))

it.live("describes a script in a dry run", () =>
  Effect.gen(function* () {
    const text = yield* Effect.provide(answer(script("ls | wc")), DryRunShell.layer)
    expect(text).toMatch(/^portable-shell -c 'ls \| wc'\n/)
  }))

it.live("faults on a leaf that does not know the portable shell", () =>
  Effect.gen(function* () {
    const runs = makeProcessRuns({
      ...resolveLeafSettings("mine", {}),
      prepare: () => Result.succeed(() => Effect.die("it ran")),
    })
    const own = { exec: () => Stream.die("it ran"), bytes: () => Stream.die("it ran") }
    for (const shell of [Shell.make(runs), { ...runs, capabilities: Shell.make(runs).capabilities }, Shell.make(own)]) {
      const text = yield* Effect.provide(answer(both), Layer.succeed(Shell, shell))
      expect(text).toBe("InvalidRequest: exec: this leaf has no portable shell (ENOTSUP)")
    }
    // A wrapper of a leaf that knows it stays one.
    const local = yield* LocalShell.make()
    expect(yield* Effect.provide(answer(both), Layer.succeed(Shell, Shell.make({ ...local })))).toBe(`${ours}0`)
  }))

it.live.skipIf(!isolationWorks)(
  "runs its programs isolated, and opens no files itself",
  () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      const leaf = IsolatedShell.layerWith({ writable: [shop.directory] })
      const run = (text: string) => Effect.provide(answer(script(text)), leaf)
      expect(yield* run("pwd; echo in | tee file; cat file > /dev/null; cd /usr; env pwd; env pwd 2>&1")).toBe(
        `${shop.directory}\nin\n/usr\n/usr\n0`,
      )
      expect(shop.read("file")).toBe("in\n")
      for (
        const text of [
          "echo x > made; echo on",
          "read -r x < file; echo on",
          "echo *; echo on",
          "[ -f file ] && echo on",
        ]
      ) {
        expect(yield* run(text)).toMatch(
          /^InvalidRequest: exec: a script in the portable shell reads and writes no files/,
        )
      }
      expect(yield* run("touch /etc/made 2> /dev/null; echo $?; cat <<< here | cat; cd /nowhere; env; echo $?"))
        .toMatch(
          /^1\nhere\nenv: .*\/nowhere.*\n?127\n0$|^1\nhere\n127\nenv: [^]*0$/,
        )
      expect(shop.exists("made")).toBe(false)
    }),
)
