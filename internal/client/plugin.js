// ocp hook for OpenCode: written by `ocp hook install opencode`, taken away by `ocp hook install opencode --remove`.
// It hands each event to `ocp hook opencode EVENT`, and nothing runs or is sent that could not be recorded first.
import { spawn } from "node:child_process"

const program = "PROGRAM"
const deadline = 10000 // milliseconds
const longest = 1 << 20 // of what the hook prints, in characters

// run starts the hook and settles when it is done or has had its time. failure is empty when it ended with status 0.
const run = (event, input) =>
  new Promise((resolve) => {
    let out = ""
    let err = ""
    let child
    const settle = (failure) => {
      clearTimeout(timer)
      child?.kill("SIGKILL")
      resolve({ failure, out, err: err.trim() })
    }
    const timer = setTimeout(() => settle("it gave no answer in time"), deadline)
    try {
      const text = JSON.stringify({ hook_event_name: event, ...input })
      child = spawn(program, ["hook", "opencode", event], { stdio: ["pipe", "pipe", "pipe"] })
      child.on("error", (e) => settle(e.message))
      child.on("close", (status, signal) => settle(status === 0 ? "" : signal ? `it was ended by ${signal}` : `its status was ${status}`))
      child.stdout.on("data", (d) => (out = (out + d).slice(0, longest)))
      child.stderr.on("data", (d) => (err = (err + d).slice(0, longest)))
      child.stdin.on("error", () => {}) // a hook that does not read says why with its status
      child.stdin.end(text)
    } catch (e) {
      settle(String(e))
    }
  })

// printed is the object that the hook wrote, if it wrote one.
const printed = (r) => {
  try {
    return JSON.parse(r.out) ?? {}
  } catch {
    return {}
  }
}

// guard throws, which keeps OpenCode from going on, when the hook failed.
const guard = async (event, input, what) => {
  const r = await run(event, input)
  if (!r.failure) return
  const text = `ocp hook: ${what}, because it could not be recorded first: ${r.failure} (see: ocp hook status)`
  throw new Error(r.err ? `${r.err}\n${text}` : text)
}

export const OcpHook = async ({ client, directory }) => {
  const sessions = new Map() // by id: { base, context }
  const created = new Set()

  const tell = async (message) => {
    if (!message) return
    await client.app.log({ body: { service: "ocp", level: "warn", message } }).catch(() => {})
    await client.tui.showToast({ body: { message, variant: "warning" } }).catch(() => {})
  }

  // report runs the hook at an event that nothing waits for.
  const report = async (event, input) => {
    const r = await run(event, input)
    await tell(r.failure ? r.err || `ocp hook: the hook at ${event} failed: ${r.failure}` : printed(r).systemMessage)
    return r
  }

  // log is what a session has said and done, as `opencode export` prints it: OpenCode keeps it in a database of its own.
  const log = async (id) => {
    const [info, messages] = await Promise.all([client.session.get({ path: { id } }), client.session.messages({ path: { id } })]).catch(() => [])
    return info?.data && messages?.data ? { log_session: id, log: { info: info.data, messages: messages.data } } : {}
  }

  // before is the log of the session that was at work in this folder last, other than this one.
  const before = async (id) => {
    const list = await client.session.list().then((r) => r.data ?? [], () => [])
    const others = list.filter((s) => s.id !== id && !s.parentID && s.directory === directory)
    const last = others.reduce((a, b) => (a && a.time.updated > b.time.updated ? a : b), undefined)
    return last ? log(last.id) : {}
  }

  // begin is what is known of a session; at first sight it is the session's start. A subagent has a session of its own, and its events name the one above it, too.
  const begin = (id) => {
    if (!sessions.has(id)) sessions.set(id, first(id))
    return sessions.get(id)
  }
  const first = async (id) => {
    let top = id
    for (let i = 0; i < 32; i++) {
      const parent = await client.session.get({ path: { id: top } }).then((r) => r.data?.parentID, () => undefined)
      if (!parent) break
      top = parent
    }
    const base = { session_id: top, cwd: directory, ...(top === id ? {} : { agent_id: id }) }
    if (top !== id) return { base }
    const fresh = created.has(id)
    const r = await report("session.start", { ...base, ...(await (fresh ? before(id) : log(id))), source: fresh ? "startup" : "resume" })
    return { base, context: printed(r).hookSpecificOutput?.additionalContext }
  }

  return {
    event: async ({ event }) => {
      if (event.type === "session.created") created.add(event.properties.info.id)
      if (event.type !== "session.idle") return
      const { base } = await begin(event.properties.sessionID)
      if (!base.agent_id) await report("session.idle", { ...base, ...(await log(base.session_id)) })
    },
    "chat.message": async (input, output) => {
      const { base } = await begin(input.sessionID)
      const prompt = output.parts.filter((p) => p.type === "text" && !p.synthetic).map((p) => p.text).join("\n")
      await guard("chat.message", { ...base, turn_id: output.message.id, prompt }, "this prompt was not sent")
    },
    "experimental.chat.system.transform": async (input, output) => {
      if (!input.sessionID) return
      const { context } = await begin(input.sessionID)
      if (context) output.system.push(context)
    },
    "chat.params": async (input) => {
      if (input.agent === "title") return // names the session; no tool follows
      const { base } = await begin(input.sessionID)
      const request = { agent: input.agent, model: input.model?.id, provider: input.model?.providerID }
      await guard("chat.params", { ...base, turn_id: input.message?.id, llm_request: request }, "this request was not sent")
    },
    "tool.execute.before": async (input, output) => {
      const { base } = await begin(input.sessionID)
      const call = { tool_name: input.tool, tool_use_id: input.callID, tool_input: output.args }
      await guard("tool.execute.before", { ...base, ...call }, "this call was not run")
    },
    "tool.execute.after": async (input, output) => {
      const { base } = await begin(input.sessionID)
      const call = { tool_name: input.tool, tool_use_id: input.callID, tool_input: input.args, tool_response: output }
      const r = await report("tool.execute.after", { ...base, ...call })
      if (r.failure) await client.session.abort({ path: { id: input.sessionID } }).catch(() => {})
    },
    "experimental.session.compacting": async (input) => {
      const { base } = await begin(input.sessionID)
      if (!base.agent_id) await report("session.compacting", { ...base, ...(await log(base.session_id)) })
    },
    dispose: async () => {
      for (const session of sessions.values()) {
        const { base } = await session
        if (!base.agent_id) await report("session.end", { ...base, ...(await log(base.session_id)), reason: "exit" })
      }
    },
  }
}
