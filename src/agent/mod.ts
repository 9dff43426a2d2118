/**
 * Runs agents: a loop that asks a model and casts the spells that it calls, and the models of the AI SDK's providers.
 *
 * @module
 */
export * as Agent from "./Agent.ts"
export * as AiSdk from "./AiSdk.ts"
export { AgentEnd, AgentEndCause, AgentEvent, AgentTrim, ModelRetry } from "./AgentEvent.ts"
export { AgentFault, AgentRun, AgentRunBranch, ContextLimits } from "./AgentRunBranch.ts"
export { AgentUsage, type ModelPrices } from "./AgentUsage.ts"
export {
  ModelBranch,
  ModelDelta,
  ModelFault,
  ModelRequest,
  ModelResponse,
  type ModelService,
  ModelToolCall,
} from "./ModelBranch.ts"
export { modelService, type ModelServiceOptions } from "./modelService.ts"
export { ProviderError, ProviderErrorReason } from "./ProviderError.ts"
export { keyVariables, providerNames, resolveModel, type ResolveModelOptions } from "./providers.ts"
export { retryModel, type RetryOptions } from "./retryModel.ts"
export {
  AgentToolCall,
  AgentToolCallFault,
  AgentToolCallProgress,
  AgentToolCallResult,
  ToolCallBranch,
  type ToolCallService,
} from "./ToolCallBranch.ts"
export { toolRoutes, toolService } from "./toolRoutes.ts"
