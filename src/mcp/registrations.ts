/**
 * Combines the tools, the resources and the caller's own registrations into one layer.
 *
 * @module
 */
import type { McpServer } from "effect/ai/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Journal } from "../journal/JournalService.ts"
import type { Shell } from "../shell/Shell.ts"
import type { AccessPolicyError } from "../policy/AccessPolicyError.ts"
import { codeToolWith } from "./codeTool.ts"
import { commandResourcesWith } from "./commandResources.ts"
import { commandToolsWith } from "./commandTools.ts"
import type { McpIdentity } from "./McpIdentity.ts"
import type { ToolSettings } from "./McpToolOptions.ts"

/** The tools, the resources of the journal, if there is one, and the registrations of the caller. */
export const registrationsOf = (
  settings: ToolSettings,
  registrations: McpIdentity["registrations"] = Layer.empty,
): Layer.Layer<never, AccessPolicyError, McpServer | Shell> => {
  const resources = Layer.unwrap(Effect.map(
    Effect.serviceOption(Journal),
    Option.match({
      onNone: () => Layer.empty,
      onSome: (journal) => Layer.provide(commandResourcesWith(settings), Layer.succeed(Journal, journal)),
    }),
  ))
  return Layer.mergeAll(commandToolsWith(settings), codeToolWith(settings), resources, registrations)
}
