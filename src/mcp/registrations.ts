/** Combines the tools or the spells, the resources and the caller's own registrations into one layer. */
import type { McpServer } from "effect/ai/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Journal } from "../journal/JournalService.ts"
import type { Shell } from "../shell/Shell.ts"
import type { OptionError } from "../base/OptionError.ts"
import type { AccessPolicyError } from "../policy/AccessPolicyError.ts"
import { codeToolWith } from "./codeTool.ts"
import { commandResourcesWith } from "./commandResources.ts"
import { commandToolsWith } from "./commandTools.ts"
import type { McpIdentity } from "./McpIdentity.ts"
import type { McpSpells } from "./McpSpells.ts"
import { spellToolsWith } from "./spellTools.ts"
import type { ToolSettings } from "./McpToolOptions.ts"
import { terminalToolsWith } from "./terminalTools.ts"

const journalResources = (settings: ToolSettings): Layer.Layer<never, never, McpServer> =>
  Layer.unwrap(Effect.map(
    Effect.serviceOption(Journal),
    Option.match({
      onNone: () => Layer.empty,
      onSome: (journal) => Layer.provide(commandResourcesWith(settings), Layer.succeed(Journal, journal)),
    }),
  ))

/** The tools that run commands, the resources of the journal, and the registrations of the caller. */
export const registrationsOf = (
  settings: ToolSettings,
  registrations: McpIdentity["registrations"] = Layer.empty,
): Layer.Layer<never, OptionError | AccessPolicyError, McpServer | Shell> =>
  Layer.mergeAll(
    commandToolsWith(settings),
    codeToolWith(settings),
    settings.terminals ? terminalToolsWith(settings) : Layer.empty,
    journalResources(settings),
    registrations,
  )

/** The spells instead of the tools that run commands, the resources of the journal, and the registrations of the caller. */
export const spellRegistrationsOf = <R>(
  { approval, registrations = Layer.empty, spells }: McpSpells<R> & McpIdentity,
  settings: ToolSettings,
): Layer.Layer<never, OptionError | AccessPolicyError, McpServer | R> =>
  Layer.mergeAll(spellToolsWith(spells, settings, approval), journalResources(settings), registrations)
