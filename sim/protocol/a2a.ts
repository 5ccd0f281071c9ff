/**
 * The data objects of A2A v1.0 as JSON on the wire (ProtoJSON: lowerCamelCase
 * names, enums by name, exactly one member of a oneof). Source: a2a.proto of
 * v1.0.1, package lf.a2a.v1. Absent means default, as ProtoJSON emitters do.
 */

export type TaskState =
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED'
  | 'TASK_STATE_INPUT_REQUIRED'
  | 'TASK_STATE_REJECTED'
  | 'TASK_STATE_AUTH_REQUIRED'

export type Role = 'ROLE_USER' | 'ROLE_AGENT'

/** Exactly one of text, raw (base64), url, data. */
export interface Part {
  text?: string
  raw?: string
  url?: string
  data?: unknown
  metadata?: Record<string, unknown>
  filename?: string
  mediaType?: string
}

export interface Message {
  messageId: string
  contextId?: string
  taskId?: string
  role: Role
  parts: Part[]
  metadata?: Record<string, unknown>
  extensions?: string[]
  referenceTaskIds?: string[]
}

export interface TaskStatus {
  state: TaskState
  message?: Message
  /** ISO 8601 in UTC with milliseconds and `Z`: always 24 characters. */
  timestamp?: string
}

export interface Artifact {
  artifactId: string
  name?: string
  description?: string
  parts: Part[]
  metadata?: Record<string, unknown>
  extensions?: string[]
}

export interface Task {
  id: string
  contextId?: string
  status: TaskStatus
  artifacts?: Artifact[]
  history?: Message[]
  metadata?: Record<string, unknown>
}

export interface TaskStatusUpdateEvent {
  taskId: string
  contextId: string
  status: TaskStatus
  metadata?: Record<string, unknown>
}

export interface TaskArtifactUpdateEvent {
  taskId: string
  contextId: string
  artifact: Artifact
  append?: boolean
  lastChunk?: boolean
  metadata?: Record<string, unknown>
}

/** Exactly one member: the body of a stream event and of a webhook post. */
export type StreamResponse =
  | { task: Task }
  | { message: Message }
  | { statusUpdate: TaskStatusUpdateEvent }
  | { artifactUpdate: TaskArtifactUpdateEvent }

export interface AuthenticationInfo {
  scheme: string
  credentials?: string
}

export interface TaskPushNotificationConfig {
  tenant?: string
  id?: string
  taskId?: string
  url: string
  token?: string
  authentication?: AuthenticationInfo
}

export interface SendMessageConfiguration {
  acceptedOutputModes?: string[]
  taskPushNotificationConfig?: TaskPushNotificationConfig
  historyLength?: number
  returnImmediately?: boolean
}

export interface SendMessageRequest {
  tenant?: string
  message: Message
  configuration?: SendMessageConfiguration
  metadata?: Record<string, unknown>
}

export type Binding = 'HTTP+JSON' | 'JSONRPC'

export interface AgentInterface {
  url: string
  protocolBinding: Binding
  tenant?: string
  protocolVersion: string
}

export interface AgentExtension {
  uri: string
  description?: string
  /** Whoever does not declare it is refused. */
  required?: boolean
  params?: Record<string, unknown>
}

export interface AgentSkill {
  id: string
  name: string
  description: string
  tags: string[]
  examples?: string[]
}

interface OAuthFlow {
  tokenUrl: string
  /** Each scope, and what it lets the client do. */
  scopes: Record<string, string>
}

/** Exactly one flow; implicit and password are deprecated. */
export type OAuthFlows =
  | { authorizationCode: OAuthFlow & { authorizationUrl: string; pkceRequired?: boolean } }
  | { deviceCode: OAuthFlow & { deviceAuthorizationUrl: string } }

/** Exactly one member. */
export type SecurityScheme =
  | { apiKeySecurityScheme: { location: 'header'; name: string } }
  | { httpAuthSecurityScheme: { scheme: string } }
  | { oauth2SecurityScheme: { flows: OAuthFlows } }
  | { openIdConnectSecurityScheme: { openIdConnectUrl: string } }
  | { mtlsSecurityScheme: Record<string, never> }

/** Schemes by name, each with the scopes it must give. */
export interface SecurityRequirement {
  schemes: Record<string, { list: string[] }>
}

export interface AgentCard {
  name: string
  description: string
  version: string
  supportedInterfaces: AgentInterface[]
  provider?: { url: string; organization: string }
  documentationUrl?: string
  capabilities: {
    streaming?: boolean
    pushNotifications?: boolean
    extendedAgentCard?: boolean
    extensions?: AgentExtension[]
  }
  securitySchemes?: Record<string, SecurityScheme>
  /** Any one of them lets a caller in. */
  securityRequirements?: SecurityRequirement[]
  defaultInputModes: string[]
  defaultOutputModes: string[]
  skills: AgentSkill[]
}
