/**
 * Declares branches whose service has one function, and derives their layers, mocks and replay. `Branch` has the journals and
 * daemons of branches of any shape, `Route` what connects two branches.
 *
 * @module
 */
export * as Branch from "./Branch.ts"
export { answerOnce } from "./answerOnce.ts"
export { journalRequests } from "./journalRequests.ts"
export { type EventSchema, eventSchema, type RequestSchema, requestSchema } from "./messageSchemas.ts"
export { replayRequests } from "./replayRequests.ts"
export { requestDaemon } from "./requestDaemon.ts"
export { requestOne } from "./requestOne.ts"
export * as Route from "./Route.ts"
export * as RouteGraph from "./RouteGraph.ts"
export { type ScriptedService, type ScriptOptions, scriptRequests, type ScriptRule } from "./scriptRequests.ts"
export { serveRequests } from "./serveRequests.ts"
export {
  type ContentCodec,
  type ContentPiece,
  type DetachedRequest,
  makeServiceBranch,
  type Message,
  type RequestContent,
  type RequestFailure,
  type RequestService,
  type ServiceBranch,
  type ServiceBranchOptions,
  type StreamEnd,
} from "./ServiceBranch.ts"
export { type ServiceLayers, serviceLayers } from "./serviceLayers.ts"
