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
import type { OptionError } from "../base/OptionError.ts"
import type { AccessPolicyError } from "../policy/AccessPolicyError.ts"
import { codeTool } from "./codeTool.ts"
import { commandResources } from "./commandResources.ts"
import { commandTools } from "./commandTools.ts"
import type { McpIdentity } from "./McpIdentity.ts"
import type { McpSettings } from "./McpSettings.ts"

/** The tools, the resources of the journal, if there is one, and the registrations of the caller. */
export const registrationsOf = (
  options: McpSettings & McpIdentity,
): Layer.Layer<never, OptionError | AccessPolicyError, McpServer | Shell> => {
  const resources = Layer.unwrap(Effect.map(
    Effect.serviceOption(Journal),
    Option.match({
      onNone: () => Layer.empty,
      onSome: (journal) => Layer.provide(commandResources(options), Layer.succeed(Journal, journal)),
    }),
  ))
  return Layer.mergeAll(commandTools(options), codeTool(options), resources, options.registrations ?? Layer.empty)
}
