import flux,time,sys
h=flux.Flux()
s=h.rpc("resource.acquire",flags=flux.constants.FLUX_RPC_STREAMING); print({k:(v if k!="resources" else 0) for k,v in s.get().items()})
L=[]
for i in range(300):
  t=time.time()
  h.rpc("resource.drain",dict(targets=str(i%50+10),reason="x",mode="force-overwrite")).get()
  L.append(time.time()-t)
L.sort(); print("drain ms", L[150]*1e3, L[-3]*1e3)
t=time.time(); st=h.rpc("resource.status").get_str(); print(len(st), time.time()-t)
