import { html, nothing, type TemplateResult } from "lit-html";
import { ref } from "lit-html/directives/ref.js";
import { counted } from "../../base/amounts.ts";
import { lineForPeople } from "../../base/line-for-people.ts";
import type { ServerStatus } from "../../client/shapes.ts";
import { focusWhenShown } from "../page/modal.ts";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";
import { disclosure } from "./disclosure.ts";

const stateNames = {
  running: "Running",
  starting: "Starting",
  stopped: "Stopped",
  failed: "Failed",
  needs_login: "Needs an account",
} as const;

/** `● Running`. */
export function serverState({ state }: ServerStatus): TemplateResult {
  return html`<span class="server-state is-${state}">${stateNames[state]}</span>`;
}

/** A tool server: its state, its tools, and the controls that start, stop or connect it. */
export function serverView(server: ServerStatus, state: ConsoleState, actions: Actions): TemplateResult {
  const { name, transport, problem, credentials } = server;
  const shown = state.skills.detail?.reasons.join("\n") ?? "";
  return html`<section aria-label="Server" data-testid="server">
    <p class="server-line">
      ${serverState(server)}
      <span>${transports[transport]}${credentials === "none" ? "" : `, ${accounts[credentials]}`}</span>
    </p>
    ${problem === undefined || shown.includes(problem) ? nothing : html`<p class="skill-reason">${problem}</p>`}
    ${controls(server, state.skills.saving.has(name), actions)} ${loginLink(name, state)} ${tools(server)}
  </section>`;
}

const transports = {
  stdio: "A program on the bot's machine",
  http: "Over the network (HTTP)",
  sse: "Over the network (SSE)",
} as const;

const accounts = {
  shared: "one account for everybody",
  per_user: "everybody with their own account",
} as const;

function controls({ name, state, credentials }: ServerStatus, busy: boolean, actions: Actions) {
  const { control, connect, disconnect } = actions.upkeep;
  const button = (label: string, act: () => void, look = "") => html`<button
    type="button"
    class="small-button ${look}"
    ?disabled=${busy}
    @click=${act}
  >
    ${label}
  </button>`;
  const stopped = state === "stopped" || state === "failed";
  return html`<div class="actions" aria-busy=${busy}>
    ${state === "needs_login" ? button("Connect account", () => connect(name), "is-strong") : nothing}
    ${stopped ? button("Start", () => control(name, "start")) : button("Restart", () => control(name, "restart"))}
    ${state === "stopped" ? nothing : button("Stop", () => control(name, "stop"))}
    ${credentials !== "none" && state === "running" ? button("Forget account", () => disconnect(name)) : nothing}
  </div>`;
}

/** The address comes from the server: only web addresses become links, and people see the host. */
function loginLink(name: string, { skills: { login } }: ConsoleState): TemplateResult | typeof nothing {
  if (login?.server !== name) return nothing;
  const url = URL.parse(login.url);
  if (url === null || !/^https?:$/.test(url.protocol))
    return html`<p class="problem" role="alert">The server names no web address to connect an account at.</p>`;
  return html`<p class="login-link">
    <a class="button is-primary" href=${url.href} target="_blank" rel="noopener noreferrer" ${ref(focusWhenShown)}>
      Log in at ${url.host}
    </a>
    <span class="hint">Opens a new tab. The link is for you alone. Start the server again afterwards if it still asks.</span>
  </p>`;
}

function tools({ name, tools: list }: ServerStatus): TemplateResult | typeof nothing {
  if (list.length === 0) return nothing;
  const off = list.filter(({ suppressed }) => suppressed).length;
  const count = `${counted(list.length, "tool")}${off === 0 ? "" : `, ${off} of them left out`}`;
  return disclosure(
    count,
    html`<dl class="parameters" aria-label="Tools of ${name}">
      ${list.map(
        (tool) => html`<dt class=${tool.suppressed ? "is-suppressed" : ""}>
            <code>${tool.name}</code> ${tool.suppressed ? html`<span>left out by the configuration</span>` : nothing}
          </dt>
          <dd>${lineForPeople(tool.description, 200)}</dd>`,
      )}
    </dl>`,
  );
}
