import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { readEnvironment } from "../../src/config/environment.ts";

/** What Docker and Kubernetes would run; nothing here starts them. */
const read = (name: string) =>
  readFileSync(new URL(`../../docs/deployment/${name}`, import.meta.url), "utf8");

const variables = z.record(z.string(), z.string());
/** The parts of the compose specification that the file uses, and no others. */
const service = z.strictObject({
  image: z.string(),
  restart: z.literal("unless-stopped"),
  command: z.array(z.string()).optional(),
  environment: variables,
  volumes: z.array(z.string().regex(/^[a-z]+:\/[a-z/]+$/)),
  depends_on: z.record(z.string(), z.strictObject({ condition: z.literal("service_healthy") })).optional(),
  ports: z.array(z.string().regex(/^127\.0\.0\.1:\d+:\d+$/)).optional(),
  deploy: z.strictObject({ replicas: z.number() }).optional(),
  security_opt: z.array(z.string()).optional(),
  stop_grace_period: z.string().optional(),
  healthcheck: z
    .strictObject({
      test: z.array(z.string()),
      interval: z.string(),
      timeout: z.string(),
      retries: z.number(),
    })
    .optional(),
});
const composeSchema = z.looseObject({
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.null()),
});

const labels = z.record(z.string(), z.string());
const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.enum(["/healthz", "/readyz"]), port: z.literal("http") }),
  periodSeconds: z.number(),
  timeoutSeconds: z.number().optional(),
  failureThreshold: z.number().optional(),
});
const amounts = z.strictObject({
  cpu: z
    .string()
    .regex(/^\d+m?$/)
    .optional(),
  memory: z.string().regex(/^\d+[MG]i$/),
});
const unconfined = z.strictObject({ type: z.literal("Unconfined") }).optional();
const podSchema = z.strictObject({
  terminationGracePeriodSeconds: z.number().min(30),
  securityContext: z.strictObject({
    runAsNonRoot: z.literal(true),
    runAsUser: z.literal(1000),
    fsGroup: z.literal(1000),
    fsGroupChangePolicy: z.string(),
    seccompProfile: unconfined,
    appArmorProfile: unconfined,
  }),
  containers: z.tuple([
    z.strictObject({
      name: z.string(),
      image: z.string(),
      args: z.array(z.string()),
      envFrom: z.array(z.strictObject({ secretRef: z.strictObject({ name: z.string() }) })),
      ports: z.array(z.strictObject({ name: z.string(), containerPort: z.literal(3000) })),
      startupProbe: probe,
      livenessProbe: probe,
      readinessProbe: probe,
      resources: z.strictObject({ requests: amounts, limits: amounts }),
      volumeMounts: z.array(z.strictObject({ name: z.string(), mountPath: z.literal("/data") })),
    }),
  ]),
  volumes: z.array(
    z.strictObject({ name: z.string(), persistentVolumeClaim: z.strictObject({ claimName: z.string() }) }),
  ),
});
const matchLabels = z.strictObject({ matchLabels: labels });
const deploymentSchema = z.strictObject({
  replicas: z.number(),
  selector: matchLabels,
  strategy: z.strictObject({
    rollingUpdate: z.strictObject({ maxUnavailable: z.literal(0), maxSurge: z.number() }),
  }),
  template: z.strictObject({ metadata: z.strictObject({ labels }), spec: podSchema }),
});
const specOf: Record<string, z.ZodType> = {
  "v1 PersistentVolumeClaim": z.strictObject({
    accessModes: z.tuple([z.literal("ReadWriteMany")]),
    resources: z.strictObject({ requests: z.strictObject({ storage: z.string() }) }),
  }),
  "apps/v1 Deployment": deploymentSchema,
  "v1 Service": z.strictObject({
    selector: labels,
    ports: z.array(z.strictObject({ name: z.string(), port: z.number(), targetPort: z.literal("http") })),
  }),
  "policy/v1 PodDisruptionBudget": z.strictObject({ minAvailable: z.number(), selector: matchLabels }),
};

const isStart = (words: readonly string[], role: string) =>
  words.join(" ") === `knack start --role ${role} --host 0.0.0.0`;

describe("the compose file", () => {
  const { services, volumes } = composeSchema.parse(parse(read("compose.yaml"), { merge: true }));
  const { postgres, ...bots } = services;

  it("the compose file has two gateways and two workers on one database and one volume", () => {
    const roles = Object.values(bots).map(({ command = [], deploy }) => [command[3], deploy?.replicas ?? 1]);
    expect(roles).toEqual([
      ["gateway", 1],
      ["gateway", 1],
      ["worker", 2],
    ]);
    for (const { command = [], volumes: own, environment } of Object.values(bots)) {
      expect(isStart(command, command[3] ?? "")).toBe(true);
      expect(own).toEqual(["knack:/data"]);
      expect(environment.DATABASE_URL).toContain("@postgres/knack");
    }
    expect(Object.keys(volumes)).toEqual(["postgres", "knack"]);
    expect(postgres?.healthcheck).toBeDefined();
  });

  it("the compose file sets variables that Knack knows, from the example of .env", () => {
    const given = Object.keys(Object.values(bots)[0]?.environment ?? {});
    const values = Object.fromEntries(given.map((name) => [name, "https://example.com"]));
    expect(readEnvironment(values)).toHaveLength(given.length);
    const asked = [...read("compose.yaml").matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name);
    const offered = [...read("compose.env.example").matchAll(/^([A-Z_]+)=$/gm)].map(([, name]) => name);
    expect(offered.filter((name) => !asked.includes(name))).toEqual([]);
  });
});

it("the manifests have two gateways and two workers that share one claim, with probes of their roles", () => {
  const documents = parseAllDocuments(read("kubernetes.yaml")).map(
    (document) => document.toJS() as { apiVersion: string; kind: string; metadata: unknown; spec: unknown },
  );
  for (const { apiVersion, kind, metadata, spec } of documents) {
    expect(metadata).toEqual({ name: expect.stringMatching(/^knack/) });
    expect(specOf[`${apiVersion} ${kind}`]?.safeParse(spec).error?.message).toBeUndefined();
  }
  const deployments = documents.filter(({ kind }) => kind === "Deployment");
  for (const [at, role] of ["gateway", "worker"].entries()) {
    const { replicas, selector, template } = deploymentSchema.parse(deployments[at]?.spec);
    expect([replicas, selector.matchLabels]).toEqual([2, { app: "knack", role }]);
    expect(template.metadata.labels).toEqual(selector.matchLabels);
    const [{ args, livenessProbe, readinessProbe }] = template.spec.containers;
    expect(isStart(args, role)).toBe(true);
    expect([livenessProbe.httpGet.path, readinessProbe.httpGet.path]).toEqual(["/healthz", "/readyz"]);
  }
});
