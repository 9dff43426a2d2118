/**
 * Runs agents: a loop that asks a model and casts the spells that it calls, and the models of the AI SDK's providers.
 *
 * @module
 */
export * as Agent from "./Agent.ts"
export * as AiSdk from "./AiSdk.ts"
export {
  AgentToolCall,
  ModelBranch,
  ModelFault,
  ModelRequest,
  ModelResponse,
  type ModelService,
} from "./ModelBranch.ts"
export { modelService } from "./modelService.ts"
