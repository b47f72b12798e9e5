# Words that the field calls otherwise do not come back: left what was said once, right what is said.
# A dot stands for any character: `class.Alone` retires a class of that name, and leaves the English
# word to comments.
retired='HeldStage=LocalStage HeldArray=LocalArray held_part=local_part held_layers=local_layers
Courier=StageChannel TensorExchange=TensorCollectives HostExchange=MpiCollectives
GanStep=StepTask GanSteps=StepExecutor GanModels=Models GanParts=ModelParts
Mailbox=MpiPointToPoint make_links=choose_backend exchange_slices=all_to_all_slices
StagesAlong=PipeView NetAlong=NetView SeenOptions=AugmentOptions
Stepper=StepRunner StepEnvironment=Task LayerSeconds=LayerTimings
CutPrice=PartitionCost cut_nets=choose_stages TensorPlan=TensorSplit tensor_plan=tensor_split
tensor_part=local_net LayerCut=LayerSplit GanChanges=GanOverrides maker_of_input=producer_of_input
made_by=output_of Paper=DryRun Census=TableIndex misfit=violation CommOfNccl=NcclCommTraits
TrialOfNccl=NcclProbeTraits single_net=single_pass share_of=block_range NetOptions=ModelOptions
StepMinutes=StepReports minutes_of=reports_of LossFigures=StepValue Judged=LossFigures
judged_passes=loss_passes reversed_discriminator=reversed gan::through=gan::d_generate
LocalStage&.held=LocalStage&.local ModelState&.held=ModelState&.local
NetDescription&.held=NetDescription&.local NetDescription.held=NetDescription.local
LocalArray&.held=LocalArray&.local Shard>&.held=Shard>&.local Placement.held=Placement.placement
held_bytes=bytes_from_B_to_W log.say=log.info Log::say=Log::info Log::draws=Log::is_terminal
log_.draws=log_.is_terminal void.deliver=void.put_output deliver_gradient=put_gradient
deliver_to=put_for delivered_=results_ Memory.fetch=Memory.get_result auto.fetched=auto.get_result
void.weigh=void.sample_peak weighed_=sampled_ weighing_=sampling_ class.Alone=class.SingleLayer
struct.Look=struct.ActionStyle void.announce=void.report_start announce_cuts=report_splits
RunState::shared=RunState::shards_to_write PipeView.along=PipeView.view
Action&.user=Action&.consumer Tensor.room=Tensor.buffer host_room=host_buffer room_for=buffer_for
compute_after=let_compute_wait Memory.seen=Memory.input seconds_to_see=augment_seconds
seen_of=augmented split_by_node=split_by_machine'

# said TREE: lines of code that say a retired word; texts in quotation marks may.
said() {
  local pair words=''
  for pair in $retired; do words+="|${pair%%=*}"; done
  grep -rnwE --include='*.[ch]pp' "${words:1}" "$1"/{src,include,preprocess,tests} 2>/dev/null |
    grep -vE "^[^:]*:[0-9]+:.*\"[^\"]*\b(${words:1})\b[^\"]*\"" || true
}

mkdir -p tree/src
echo 'class Courier {};' >tree/src/a.cpp
[ -n "$(said tree)" ] || fail 'a retired word is not found'
echo 'void weigh(int action);' >tree/src/a.cpp
[ -n "$(said tree)" ] || fail 'a retired function is not found'
echo '/// What it may weigh, and what is held.' >tree/src/a.cpp
[ -z "$(said tree)" ] || fail "an English word is taken for a retired one: $(said tree)"
echo 'const char* text = "made_by";' >tree/src/a.cpp
[ -z "$(said tree)" ] || fail "a text is taken for a word: $(said tree)"

found=$(said "$ROOT")
[ -z "$found" ] || fail "retired words: $found"
