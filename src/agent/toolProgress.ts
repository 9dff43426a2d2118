/** Adds the progress of running commands to the answers of tool calls. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type * as Redactor from "../journal/redaction/Redactor.ts"
import { Shell } from "../shell/Shell.ts"
import { CurrentProgress, progressShell } from "../spell/progressShell.ts"
import type { Policy } from "../window/Policy.ts"
import type {
  AgentToolCallFault,
  AgentToolCallProgress,
  AgentToolCallResult,
  ToolCallService,
} from "./ToolCallBranch.ts"

/**
 * The context with a shell that reports the output of commands, in windows of a policy or of the one that a call names.
 */
export const withProgressShell = <R>(context: Context.Context<R>, window: Policy | undefined): Context.Context<R> =>
  Option.match(Context.getOption(context, Shell), {
    onNone: () => context,
    onSome: (shell) => Context.add(context, Shell, progressShell(shell, window)),
  })

/**
 * The service with answers that emit the output of a running command before its result. A command continues when its
 * output has been taken, so it waits for a journal. A redactor's matches are left out, even across windows.
 */
export const withToolProgress = (
  { request }: ToolCallService,
  redactor: () => Redactor.Redactor | undefined,
): ToolCallService => ({
  request: (call, options) =>
    Stream.callback<AgentToolCallProgress | AgentToolCallResult, AgentToolCallFault>((queue) => {
      const { callId, correlationId, name } = call
      const redaction = redactor()?.begin()
      let isOpen = true
      const tell = (text: string): Effect.Effect<unknown> =>
        text === ""
          ? Effect.void
          : Queue.offer(queue, { _tag: "AgentToolCallProgress", correlationId, callId, name, text })
      // A process in the background outlives the call that started it.
      const progress = (text: string): Effect.Effect<void> =>
        Effect.suspend(() => isOpen ? Effect.asVoid(tell(redaction?.push(text) ?? text)) : Effect.void)
      return request(call, options).pipe(
        Stream.runForEach((event) => {
          isOpen = false
          return Effect.andThen(tell(redaction?.end() ?? ""), Queue.offer(queue, event))
        }),
        Effect.provideService(CurrentProgress, progress),
        Effect.andThen(Queue.end(queue)),
      )
    }, { bufferSize: 1 }),
})
