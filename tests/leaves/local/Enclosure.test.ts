import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Shell, ShellExec } from "@sluice/shell"
import { findHost } from "../../../src/host/findHost.ts"
import { requireHost } from "../../../src/host/requireHost.ts"
import { resolveLocalSettings } from "../../../src/leaves/local/LocalShellOptions.ts"
import { makeLocalService } from "../../../src/leaves/local/makeLocalService.ts"

const enclosed = (isolates: boolean) =>
  Effect.map(requireHost("leaf", "a runtime with processes", findHost), (host) => {
    const enclosure = { leaf: "nice", isolates, wrap: (inner: typeof host) => inner, check: () => undefined }
    return makeLocalService(host, resolveLocalSettings({}), enclosure)
  })

it.live("only an enclosure that isolates declares it, and keeps portable scripts from the files of this program", () =>
  Effect.gen(function* () {
    for (const isolates of [false, true]) {
      const { close, shell } = yield* enclosed(isolates)
      expect(shell.capabilities.isolated).toBe(isolates)
      const script = ShellExec.shell('read -r line < package.json && echo "$line"', { shell: "portable" })
      const read = Effect.match(Shell.run(script), {
        onFailure: ({ message }) => message.includes("no files of this leaf"),
        onSuccess: ({ stdout }) => stdout,
      })
      expect(yield* Effect.provideService(read, Shell, shell)).toBe(isolates ? true : "{\n")
      close()
    }
  }))
